        if !self.core.queue.is_empty() || self.core.stopping.get() {
            return Some(Duration::ZERO);
        }
        let until_nearest = self.core.timers.borrow_mut().next_timeout(self.time())?;
        Some(until_nearest.max(Duration::from_millis(1)).min(LONGEST_SLEEP))
