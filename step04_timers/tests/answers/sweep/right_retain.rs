        let live = self.len();
        if self.scheduled() > SWEEP_ABOVE && self.scheduled() > 2 * live {
            let payloads = &self.payloads;
            self.heap.retain(|entry| payloads.contains(entry.sequence));
            self.heap.shrink_to(live + 1);
        }
        if self.payloads.slots() > SWEEP_ABOVE && self.payloads.slots() > 2 * live {
            self.payloads.compact(SWEEP_ABOVE);
        }
