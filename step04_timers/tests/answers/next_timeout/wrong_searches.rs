// hangs
        self.sweep();
        self.drop_cancelled_heads();
        let live = self.heap.iter().filter(|entry| self.payloads.contains(entry.sequence));
        live.map(|entry| entry.when - now).min()
