        fn mostly_dead(all: usize, live: usize) -> bool {
            all > SWEEP_ABOVE && live < all.div_ceil(2)
        }
        let live = self.len();
        if mostly_dead(self.heap.len(), live) {
            let entries = self.heap.drain().filter(|entry| self.payloads.contains(entry.sequence));
            self.heap = entries.collect::<Vec<_>>().into();
        }
        if mostly_dead(self.payloads.slots(), live) {
            self.payloads.compact(SWEEP_ABOVE);
        }
