        // expect: nearest cancelled  300µs
        let nearest = self.heap.peek()?;
        Some(nearest.when - now)
