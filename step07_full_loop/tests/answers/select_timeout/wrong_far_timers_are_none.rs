        if !self.core.queue.is_empty() || self.core.stopping.get() {
            return Some(Duration::ZERO);
        }
        let until_nearest = self.core.timers.borrow_mut().next_timeout(self.time());
        until_nearest.filter(|timeout| *timeout <= LONGEST_SLEEP)
