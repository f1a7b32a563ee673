        self.deadline.cancel_alarm();
        self.deadline.task.take();
        match self.deadline.state.get() {
            State::Expiring => {
                self.deadline.state.set(State::Expired);
                let left = self.task.uncancel();
                left == 0 || left == self.cancelling
            }
            State::Active => {
                self.deadline.state.set(State::Finished);
                false
            }
            _ => false,
        }
