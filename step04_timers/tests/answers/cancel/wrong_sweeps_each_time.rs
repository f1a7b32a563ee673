        // hangs
        // expect: busy for
        let value = self.payloads.take(id.sequence);
        if self.payloads.slots() > SWEEP_ABOVE {
            self.payloads.compact(self.payloads.slots());
        }
        value
