        if self.core.stopping.get() || !self.core.queue.is_empty() {
            return Some(Duration::ZERO);
        }
        let now = self.time();
        let until_nearest = self.core.timers.borrow_mut().next_timeout(now)?;
        Some(until_nearest.min(LONGEST_SLEEP))
