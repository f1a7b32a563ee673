        self.deadline.cancel_alarm();
        if self.deadline.task.take().is_none() {
            // It has ended before.
            return false;
        }
        let expired = self.deadline.expired();
        let requests = self.task.cancelling();
        self.deadline.state.set(if expired { State::Expired } else { State::Finished });
        if expired {
            self.task.uncancel();
        }
        expired && requests <= self.cancelling + 1
