        if !self.core.queue.is_empty() || self.core.stopping.get() {
            return Some(Duration::ZERO);
        }
        let nearest = self.core.timers.borrow_mut().next_timeout(self.time());
        if nearest.is_none() && self.waits_for_a_thread() {
            return Some(LONGEST_SLEEP);
        }
        nearest.map(|left| left.min(LONGEST_SLEEP))
