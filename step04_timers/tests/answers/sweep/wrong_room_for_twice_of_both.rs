        if self.heap.len() > SWEEP_ABOVE && self.heap.len() > 2 * self.len() {
            self.heap.retain(|entry| self.payloads.contains(entry.sequence));
            self.heap.shrink_to(2 * self.heap.len());
        }
        if self.payloads.slots() > SWEEP_ABOVE && self.payloads.slots() > 2 * self.len() {
            self.payloads.compact(2 * self.payloads.len());
        }
