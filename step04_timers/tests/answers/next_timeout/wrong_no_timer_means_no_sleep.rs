        // expect: no timer               Some(0ns)
        self.sweep();
        self.drop_cancelled_heads();
        Some(self.heap.peek().map_or(Duration::ZERO, |nearest| nearest.when - now))
