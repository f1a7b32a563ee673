        // expect: 99 cancelled of 100:  1 in the heap
        self.heap.retain(|entry| self.payloads.contains(entry.sequence));
        self.payloads.compact(SWEEP_ABOVE);
