        for _ in 0..1000 {
            let nearest = *self.heap.peek()?;
            if nearest.when > now {
                return None;
            }
            self.heap.pop();
            if let Some(payload) = self.payloads.take(nearest.sequence) {
                return Some(payload);
            }
        }
        None
