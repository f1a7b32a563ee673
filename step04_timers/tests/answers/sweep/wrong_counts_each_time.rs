        // hangs
        let dead = self.heap.iter().filter(|entry| !self.payloads.contains(entry.sequence)).count();
        if self.heap.len() > SWEEP_ABOVE && 2 * dead > self.heap.len() {
            self.heap.retain(|entry| self.payloads.contains(entry.sequence));
        }
        if self.payloads.slots() > SWEEP_ABOVE && self.payloads.slots() > 2 * self.len() {
            self.payloads.compact(SWEEP_ABOVE);
        }
