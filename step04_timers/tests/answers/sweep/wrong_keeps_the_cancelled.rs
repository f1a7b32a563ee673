        // expect: the rest fires:       0 timers, in order
        if self.heap.len() > SWEEP_ABOVE && self.heap.len() > 2 * self.len() {
            self.heap.retain(|entry| !self.payloads.contains(entry.sequence));
            self.payloads.compact(SWEEP_ABOVE);
        }
