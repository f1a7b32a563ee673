        let (live, entries, slots) = (self.len(), self.scheduled(), self.payloads.slots());
        if entries > SWEEP_ABOVE && entries - live > live {
            self.heap.retain(|entry| self.payloads.contains(entry.sequence));
            self.heap.shrink_to_fit();
        }
        if slots > SWEEP_ABOVE && slots - live > live {
            self.payloads.compact(live);
        }
