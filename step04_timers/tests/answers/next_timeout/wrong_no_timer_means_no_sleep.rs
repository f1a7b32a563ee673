        // expect: no timer           not at all
        self.sweep();
        self.drop_cancelled_heads();
        Some(self.heap.peek().map_or(Duration::ZERO, |nearest| nearest.when - now))
