        self.sweep();
        self.heap.retain(|entry| self.payloads.contains(entry.sequence));
        self.heap.peek().map(|nearest| nearest.when - now)
