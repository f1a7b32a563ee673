        if !self.core.queue.is_empty() {
            return Some(Duration::ZERO);
        }
        let timeout = self.core.timers.borrow_mut().next_timeout(self.time());
        timeout.map(|timeout| timeout.min(LONGEST_SLEEP))
