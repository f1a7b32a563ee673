// hangs
        if self.heap.len() > SWEEP_ABOVE && self.heap.len() > 2 * self.len() {
            let dead: Vec<u64> = self.heap.iter().map(|entry| entry.sequence).collect();
            for sequence in dead.into_iter().filter(|sequence| !self.payloads.contains(*sequence)) {
                self.heap.retain(|entry| entry.sequence != sequence);
            }
        }
        if self.payloads.slots() > SWEEP_ABOVE && self.payloads.slots() > 2 * self.len() {
            self.payloads.compact(SWEEP_ABOVE);
        }
