        self.sweep();
        let nearest = *self.heap.peek()?;
        if self.payloads.contains(nearest.sequence) {
            return Some(nearest.when - now);
        }
        self.heap.pop();
        self.next_timeout(now)
