        self.deadline.cancel_alarm();
        self.deadline.task.take();
        match self.deadline.state.get() {
            State::Expiring if !self.task.done() => {
                self.deadline.state.set(State::Expired);
                self.task.uncancel() <= self.cancelling
            }
            State::Active | State::Expiring => {
                self.deadline.state.set(State::Finished);
                false
            }
            _ => false,
        }
