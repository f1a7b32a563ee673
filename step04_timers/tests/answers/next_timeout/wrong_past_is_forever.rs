        // expect: it is 10 s overdue     None
        self.sweep();
        self.drop_cancelled_heads();
        let nearest = self.heap.peek()?;
        if nearest.when < now {
            return None;
        }
        Some(nearest.when - now)
