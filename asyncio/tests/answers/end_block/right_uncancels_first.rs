        let deadline = &self.deadline;
        let mut is_last = false;
        if deadline.state.get() == State::Expiring {
            let left = self.task.uncancel();
            is_last = left.saturating_sub(self.cancelling) == 0;
            deadline.state.set(State::Expired);
        } else if deadline.state.get() == State::Active {
            deadline.state.set(State::Finished);
        }
        drop(deadline.task.take());
        deadline.cancel_alarm();
        is_last
