        // expect: 2 waiting, 2 in the heap
        let entries = std::mem::take(&mut self.heap);
        self.heap = entries.into_iter().filter(|entry| entry.sequence != id.sequence).collect();
        self.payloads.take(id.sequence)
