        let is_worth_it = |places: usize, live: usize| places > SWEEP_ABOVE && places - live > live;
        if is_worth_it(self.heap.len(), self.len()) {
            let entries = std::mem::take(&mut self.heap).into_vec();
            let live = entries.into_iter().filter(|entry| self.values.contains(entry.sequence));
            self.heap = live.collect();
        }
        if is_worth_it(self.values.places(), self.len()) {
            self.values.sweep(SWEEP_ABOVE);
        }
