        // expect: 99 cancelled of 101:  0 in the heap
        if self.heap.len() > SWEEP_ABOVE && self.heap.len() > 2 * self.len() {
            self.heap.clear();
            self.payloads.compact(SWEEP_ABOVE);
        }
