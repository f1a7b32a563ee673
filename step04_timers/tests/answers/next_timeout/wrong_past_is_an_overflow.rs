        // expect: attempt to subtract with overflow
        self.sweep();
        self.drop_cancelled_heads();
        let nearest = self.heap.peek()?;
        Some(Duration::from_nanos(nearest.when.as_nanos() - now.as_nanos()))
