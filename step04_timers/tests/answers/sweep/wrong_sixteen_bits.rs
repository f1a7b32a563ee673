        let worth_it = |all: usize, live: usize| all as u16 as usize > SWEEP_ABOVE && all > 2 * live;
        if worth_it(self.heap.len(), self.len()) {
            self.heap.retain(|entry| self.payloads.contains(entry.sequence));
        }
        if worth_it(self.payloads.slots(), self.len()) {
            self.payloads.compact(SWEEP_ABOVE);
        }
