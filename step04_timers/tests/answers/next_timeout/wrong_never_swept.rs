        // expect: at most 500001 in the heap
        self.drop_cancelled_heads();
        let nearest = self.heap.peek()?;
        Some(nearest.when - now)
