        self.deadline.cancel_alarm();
        self.deadline.task.take();
        self.deadline.when.set(None);
        match self.deadline.state.get() {
            State::Expiring => {
                self.deadline.state.set(State::Expired);
                self.task.uncancel() <= self.cancelling
            }
            State::Active => {
                self.deadline.state.set(State::Finished);
                false
            }
            State::Created | State::Expired | State::Finished => false,
        }
