        // expect: left in the heap:           1
        self.drop_cancelled_heads();
        let nearest = *self.heap.peek()?;
        if nearest.when > now {
            return None;
        }
        self.payloads.take(nearest.sequence)
