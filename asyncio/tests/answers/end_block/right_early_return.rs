        self.deadline.cancel_alarm();
        let before = self.deadline.state.get();
        let (after, is_last) = match before {
            State::Active => (State::Finished, false),
            State::Expiring => (State::Expired, self.task.uncancel() <= self.cancelling),
            over => (over, false),
        };
        self.deadline.state.set(after);
        self.deadline.task.replace(None);
        is_last
