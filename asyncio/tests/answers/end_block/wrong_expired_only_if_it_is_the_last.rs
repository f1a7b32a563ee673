        self.deadline.cancel_alarm();
        self.deadline.task.take();
        match self.deadline.state.get() {
            State::Expiring => {
                let is_last = self.task.uncancel() <= self.cancelling;
                self.deadline.state.set(if is_last { State::Expired } else { State::Finished });
                is_last
            }
            State::Active => {
                self.deadline.state.set(State::Finished);
                false
            }
            State::Created | State::Expired | State::Finished => false,
        }
