        if !self.core.queue.is_empty() || self.core.stopping.get() {
            return Some(Duration::ZERO);
        }
        let until_nearest = self.core.timers.borrow_mut().next_timeout(self.time())?;
        self.core.clock.sleep_for(Some(until_nearest.min(LONGEST_SLEEP)))
