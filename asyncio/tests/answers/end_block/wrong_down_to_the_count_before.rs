        self.deadline.cancel_alarm();
        self.deadline.task.take();
        match self.deadline.state.get() {
            State::Expiring => {
                self.deadline.state.set(State::Expired);
                let is_last = self.task.cancelling() <= self.cancelling + 1;
                while self.task.cancelling() > self.cancelling {
                    self.task.uncancel();
                }
                is_last
            }
            State::Active => {
                self.deadline.state.set(State::Finished);
                false
            }
            State::Created | State::Expired | State::Finished => false,
        }
