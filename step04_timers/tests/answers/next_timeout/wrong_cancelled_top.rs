        self.sweep();
        if self.is_empty() {
            self.heap.clear();
        }
        self.heap.peek().map(|nearest| nearest.when - now)
