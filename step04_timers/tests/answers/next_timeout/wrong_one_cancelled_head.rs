        self.sweep();
        if let Some(nearest) = self.heap.peek()
            && !self.payloads.contains(nearest.sequence)
        {
            self.heap.pop();
        }
        Some(self.heap.peek()?.when - now)
