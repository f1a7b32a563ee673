        self.sweep();
        self.drop_cancelled_heads();
        let left = self.heap.peek()?.when - now;
        Some(Duration::from_micros(u64::try_from(left.as_micros()).ok()?))
