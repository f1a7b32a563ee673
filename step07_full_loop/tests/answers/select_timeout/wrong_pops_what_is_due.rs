        if !self.core.queue.is_empty() || self.core.stopping.get() {
            return Some(Duration::ZERO);
        }
        let now = self.time();
        if self.core.timers.borrow_mut().pop_due(now).is_some() {
            return Some(Duration::ZERO);
        }
        let until_nearest = self.core.timers.borrow_mut().next_timeout(now)?;
        Some(until_nearest.min(LONGEST_SLEEP))
