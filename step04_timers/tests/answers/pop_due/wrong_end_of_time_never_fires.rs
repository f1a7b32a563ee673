        self.drop_cancelled_heads();
        let nearest = *self.heap.peek()?;
        if nearest.when > now || nearest.when.as_nanos() == u64::MAX {
            return None;
        }
        self.heap.pop();
        self.payloads.take(nearest.sequence)
