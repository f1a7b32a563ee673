        // expect: 99 cancelled of 101:  101 in the heap
        if self.payloads.slots() > usize::MAX / 2 {
            self.payloads.compact(SWEEP_ABOVE);
        }
