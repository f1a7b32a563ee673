        let is_expiring = match self.deadline.state.get() {
            State::Active => false,
            State::Expiring => true,
            State::Created | State::Expired | State::Finished => return false,
        };
        self.deadline.cancel_alarm();
        let task = self.deadline.task.take();
        drop(task);
        if !is_expiring {
            self.deadline.state.set(State::Finished);
            return false;
        }
        self.deadline.state.set(State::Expired);
        self.task.uncancel();
        self.task.cancelling() == self.cancelling
