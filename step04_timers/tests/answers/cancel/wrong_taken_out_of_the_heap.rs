        // expect: after that:          2 waiting, 2 in the heap
        self.heap.retain(|entry| entry.sequence != id.sequence);
        self.payloads.take(id.sequence)
