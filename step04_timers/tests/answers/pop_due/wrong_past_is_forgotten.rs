        // expect: an hour after 1 s:       None
        self.drop_cancelled_heads();
        if self.heap.peek()?.when > now {
            return None;
        }
        let entry = self.heap.pop()?;
        let value = self.payloads.take(entry.sequence);
        value.filter(|_| entry.when == now)
