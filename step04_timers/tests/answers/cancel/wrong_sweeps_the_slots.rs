        let payload = self.payloads.take(id.sequence);
        if self.payloads.slots() > 2 * self.len() {
            self.payloads.compact(SWEEP_ABOVE);
        }
        payload
