        self.drop_cancelled_heads();
        let nearest = self.heap.peek().map(|entry| entry.when);
        if nearest.is_some_and(|when| when <= now) {
            // There's work to do; tidy up when the loop has time for it.
            return Some(Duration::ZERO);
        }
        self.sweep();
        nearest.map(|when| when - now)
