        self.sweep();
        self.drop_cancelled_heads();
        self.heap.peek().map(|nearest| nearest.when - now)
