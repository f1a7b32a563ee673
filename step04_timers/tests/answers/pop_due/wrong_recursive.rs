        if self.heap.peek()?.when > now {
            return None;
        }
        let nearest = self.heap.pop()?;
        // A cancelled timer has no payload: go on with the next one.
        self.payloads.take(nearest.sequence).or_else(|| self.pop_due(now))
