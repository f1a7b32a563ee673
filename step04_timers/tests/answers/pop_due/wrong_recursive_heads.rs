        let nearest = self.heap.peek()?;
        if !self.payloads.contains(nearest.sequence) {
            self.heap.pop();
            return self.pop_due(now);
        }
        if nearest.when > now {
            return None;
        }
        let entry = self.heap.pop()?;
        self.payloads.take(entry.sequence)
