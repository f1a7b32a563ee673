        // expect: 300 µs before 2 s      Some(0ns)
        self.sweep();
        self.drop_cancelled_heads();
        let left = self.heap.peek()?.when - now;
        Some(Duration::from_secs(left.as_secs()) + Duration::from_millis(left.subsec_millis().into()))
