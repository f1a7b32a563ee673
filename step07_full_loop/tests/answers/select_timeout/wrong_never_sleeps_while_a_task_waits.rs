        let is_busy = !self.core.queue.is_empty() || self.core.queue.task_count() > 0;
        if is_busy || self.core.stopping.get() {
            return Some(Duration::ZERO);
        }
        let until_nearest = self.core.timers.borrow_mut().next_timeout(self.time())?;
        Some(until_nearest.min(LONGEST_SLEEP))
