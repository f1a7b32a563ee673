        if self.heap.peek()?.when > now {
            return None;
        }
        let nearest = self.heap.pop()?;
        self.payloads.take(nearest.sequence)
