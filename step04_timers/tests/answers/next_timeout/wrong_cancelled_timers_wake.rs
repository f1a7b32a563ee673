        let nearest = self.heap.peek()?;
        Some(nearest.when - now)
