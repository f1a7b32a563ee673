        let has_work = !self.core.queue.is_empty() || self.core.stopping.get();
        let now = self.core.clock.now();
        match self.core.timers.borrow_mut().next_timeout(now) {
            _ if has_work => Some(Duration::ZERO),
            Some(wait) if wait > LONGEST_SLEEP => Some(LONGEST_SLEEP),
            other => other,
        }
