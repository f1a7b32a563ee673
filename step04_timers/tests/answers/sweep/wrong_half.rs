        let is_worth_it = |all: usize, live: usize| all > SWEEP_ABOVE && 2 * (all - live) >= all;
        if is_worth_it(self.scheduled(), self.len()) {
            let payloads = &self.payloads;
            self.heap.retain(|entry| payloads.contains(entry.sequence));
        }
        if is_worth_it(self.payloads.slots(), self.payloads.len()) {
            self.payloads.compact(SWEEP_ABOVE);
        }
