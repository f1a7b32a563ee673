        // hangs
        self.drop_cancelled_heads();
        let nearest = *self.heap.iter().max()?;
        if nearest.when > now {
            return None;
        }
        self.heap.pop();
        self.payloads.take(nearest.sequence)
