        // expect: due since 10 s     for ever
        self.sweep();
        self.drop_cancelled_heads();
        let nearest = self.heap.peek()?;
        if nearest.when < now {
            return None;
        }
        Some(nearest.when - now)
