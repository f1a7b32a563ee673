        // expect: at 1 s:                  None
        self.drop_cancelled_heads();
        if self.heap.peek()?.when >= now {
            return None;
        }
        let entry = self.heap.pop()?;
        self.payloads.take(entry.sequence)
