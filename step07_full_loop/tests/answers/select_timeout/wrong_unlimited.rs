        if self.core.stopping.get() || !self.core.queue.is_empty() {
            return Some(Duration::ZERO);
        }
        let now = self.time();
        self.core.timers.borrow_mut().next_timeout(now)
