        // expect: 300 µs before 2 s      Some(2s)
        self.sweep();
        self.drop_cancelled_heads();
        let nearest = self.heap.peek()?;
        let _ = now;
        Some(nearest.when - Time::ZERO)
