        // expect: 99 cancelled of 101:  101 in the heap
        if self.values.places() > usize::MAX / 2 {
            self.values.sweep(SWEEP_ABOVE);
        }
