        self.deadline.cancel_alarm();
        self.deadline.task.take();
        let now = get_running_loop().map(|event_loop| event_loop.time());
        let is_up = now.is_ok_and(|now| self.deadline.when().is_some_and(|when| when <= now));
        if self.deadline.state.get() == State::Active && !is_up {
            self.deadline.state.set(State::Finished);
            return false;
        }
        if matches!(self.deadline.state.get(), State::Active | State::Expiring) {
            self.deadline.state.set(State::Expired);
            return self.task.uncancel() <= self.cancelling;
        }
        false
