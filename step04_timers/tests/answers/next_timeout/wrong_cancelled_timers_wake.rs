        // expect: the 2 s one cancelled  Some(300µs)
        let nearest = self.heap.peek()?;
        Some(nearest.when - now)
