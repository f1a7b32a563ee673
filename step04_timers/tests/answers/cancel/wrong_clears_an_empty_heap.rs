        let payload = self.payloads.take(id.sequence);
        if self.is_empty() {
            self.heap.clear();
        }
        payload
