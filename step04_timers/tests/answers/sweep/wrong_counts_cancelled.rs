        let cancelled = self.scheduled() - self.len();
        if cancelled > SWEEP_ABOVE && cancelled > self.len() {
            let payloads = &self.payloads;
            self.heap.retain(|entry| payloads.contains(entry.sequence));
        }
        let taken = self.payloads.slots() - self.payloads.len();
        if taken > SWEEP_ABOVE && taken > self.payloads.len() {
            self.payloads.compact(SWEEP_ABOVE);
        }
