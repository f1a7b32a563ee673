        // expect: a nanosecond before 1 s: Some("a second")
        self.drop_cancelled_heads();
        let almost = now + Duration::from_micros(1);
        if self.heap.peek()?.when > almost {
            return None;
        }
        let entry = self.heap.pop()?;
        self.payloads.take(entry.sequence)
