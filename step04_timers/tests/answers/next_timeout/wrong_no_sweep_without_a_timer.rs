        self.drop_cancelled_heads();
        let nearest = self.heap.peek()?.when;
        self.sweep();
        Some(nearest - now)
