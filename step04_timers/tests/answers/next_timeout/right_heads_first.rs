        self.drop_cancelled_heads();
        self.sweep();
        let nearest = self.heap.peek()?;
        if nearest.when <= now {
            return Some(Duration::ZERO);
        }
        Some(nearest.when - now)
