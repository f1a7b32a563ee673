        self.sweep();
        let live = self.heap.iter().filter(|entry| self.payloads.contains(entry.sequence));
        live.map(|entry| entry.when - now).min()
