        // expect: 99 cancelled of 100:  1 in the heap
        self.heap.retain(|entry| self.values.contains(entry.sequence));
        self.values.sweep(SWEEP_ABOVE);
