        let payload = self.payloads.take(id.sequence)?;
        // That was the last one: all slots are empty, so give their memory back.
        if self.is_empty() && self.slots() > SWEEP_ABOVE {
            self.payloads.compact(SWEEP_ABOVE);
        }
        Some(payload)
