        let is_worth_it = |slots: usize, live: usize| slots > SWEEP_ABOVE && slots - live > live;
        if is_worth_it(self.heap.len(), self.len()) {
            let entries = std::mem::take(&mut self.heap).into_vec();
            let live = entries.into_iter().filter(|entry| self.payloads.contains(entry.sequence));
            self.heap = live.collect();
            // `collect` has reused the old memory.
            self.heap.shrink_to_fit();
        }
        if is_worth_it(self.payloads.slots(), self.len()) {
            self.payloads.compact(SWEEP_ABOVE);
        }
