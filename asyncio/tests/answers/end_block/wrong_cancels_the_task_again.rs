        self.deadline.cancel_alarm();
        self.deadline.task.take();
        match self.deadline.state.get() {
            State::Expiring => {
                self.deadline.state.set(State::Expired);
                let is_last = self.task.uncancel() <= self.cancelling;
                if !is_last {
                    self.task.uncancel();
                    self.task.cancel();
                }
                is_last
            }
            State::Active => {
                self.deadline.state.set(State::Finished);
                false
            }
            State::Created | State::Expired | State::Finished => false,
        }
