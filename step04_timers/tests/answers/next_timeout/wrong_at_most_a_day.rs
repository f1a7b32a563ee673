        self.sweep();
        self.drop_cancelled_heads();
        let nearest = self.heap.peek()?;
        Some((nearest.when - now).min(Duration::from_hours(24)))
