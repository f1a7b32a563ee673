        let live = self.payloads.len();
        let is_worth_it = |all: usize| all > SWEEP_ABOVE && all - live > all / 2;
        // The slots first: what is left in the list is then exactly what is alive.
        if is_worth_it(self.payloads.slots()) {
            self.payloads.compact(SWEEP_ABOVE.max(live));
        }
        if is_worth_it(self.heap.len()) {
            let mut entries = std::mem::take(&mut self.heap).into_vec();
            entries.retain(|entry| self.payloads.contains(entry.sequence));
            entries.shrink_to(SWEEP_ABOVE);
            self.heap = BinaryHeap::from(entries);
        }
