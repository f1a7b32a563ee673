        // hangs
        self.drop_cancelled_heads();
        let nearest = *self.heap.peek()?;
        if nearest.when > now {
            return None;
        }
        self.heap.retain(|entry| entry.sequence != nearest.sequence);
        self.payloads.take(nearest.sequence)
