        self.sweep();
        self.drop_cancelled_heads();
        let nearest = self.heap.peek()?.when;
        (nearest > now).then(|| nearest - now)
