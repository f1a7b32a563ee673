        self.drop_cancelled_heads();
        self.sweep();
        self.heap.peek().map(|nearest| {
            let nanos = nearest.when.as_nanos().saturating_sub(now.as_nanos());
            Duration::from_nanos(nanos)
        })
