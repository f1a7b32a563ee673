        let payload = self.payloads.take(id.sequence);
        Some(payload.expect("an id names a timer of this heap"))
