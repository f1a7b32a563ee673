        if self.payloads.slots() > SWEEP_ABOVE && self.payloads.slots() > 2 * self.len() {
            self.payloads.compact(SWEEP_ABOVE);
        }
