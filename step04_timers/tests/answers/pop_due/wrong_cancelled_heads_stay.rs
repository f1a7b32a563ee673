        // expect: pop_due, two are cancelled: None
        if self.heap.peek()?.when > now {
            return None;
        }
        let entry = self.heap.pop()?;
        self.payloads.take(entry.sequence)
