        self.sweep();
        self.drop_cancelled_heads();
        let nearest = *self.heap.peek()?;
        if nearest.when <= now {
            self.heap.pop();
        }
        Some(nearest.when - now)
