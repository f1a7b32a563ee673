        if self.core.stopping.get() || !self.core.queue.is_empty() {
            return Some(Duration::ZERO);
        }
        let timeout = self.core.timers.borrow_mut().next_timeout(self.time());
        Some(timeout.unwrap_or(LONGEST_SLEEP).min(LONGEST_SLEEP))
