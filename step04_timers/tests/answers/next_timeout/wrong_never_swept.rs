        // expect: at most in the heap: 1000001
        self.drop_cancelled_heads();
        let nearest = self.heap.peek()?;
        Some(nearest.when - now)
