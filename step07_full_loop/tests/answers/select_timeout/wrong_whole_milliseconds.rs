        if !self.core.queue.is_empty() || self.core.stopping.get() {
            return Some(Duration::ZERO);
        }
        let until_nearest = self.core.timers.borrow_mut().next_timeout(self.time())?;
        let millis = u64::try_from(until_nearest.as_millis()).unwrap_or(u64::MAX);
        Some(Duration::from_millis(millis).min(LONGEST_SLEEP))
