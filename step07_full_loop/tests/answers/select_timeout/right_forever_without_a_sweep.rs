        if !self.core.queue.is_empty() || self.core.stopping.get() {
            return Some(Duration::ZERO);
        }
        let now = self.time();
        let mut timers = self.core.timers.borrow_mut();
        if timers.is_empty() {
            return None;
        }
        timers.next_timeout(now).map(|timeout| timeout.min(LONGEST_SLEEP))
