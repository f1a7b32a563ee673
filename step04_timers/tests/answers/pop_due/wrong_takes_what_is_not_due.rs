        // expect: at 1 s:                  None
        self.drop_cancelled_heads();
        let entry = self.heap.pop()?;
        if entry.when > now {
            return None;
        }
        self.payloads.take(entry.sequence)
