        self.drop_cancelled_heads();
        let nearest = self.heap.pop()?;
        let payload = self.payloads.take(nearest.sequence)?;
        if nearest.when > now {
            self.push(nearest.when, payload);
            return None;
        }
        Some(payload)
