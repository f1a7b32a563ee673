        if self.core.stopping.get() {
            return Some(Duration::ZERO);
        }
        let until_nearest = self.core.timers.borrow_mut().next_timeout(self.time())?;
        Some(until_nearest.min(LONGEST_SLEEP))
