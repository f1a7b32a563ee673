        // expect: 300 µs before 2 s      Some(1ms)
        self.sweep();
        self.drop_cancelled_heads();
        let left = self.heap.peek()?.when - now;
        Some(Duration::from_nanos_u128(left.as_nanos().div_ceil(1_000_000) * 1_000_000))
