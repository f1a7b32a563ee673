        // hangs
        // expect: busy for
        if !self.heap.iter().any(|entry| entry.sequence == id.sequence) {
            return None;
        }
        self.payloads.take(id.sequence)
