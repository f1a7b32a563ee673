        let payload = self.payloads.take(id.sequence)?;
        self.drop_cancelled_heads();
        Some(payload)
