        let (scheduled, live) = (self.scheduled(), self.len());
        if scheduled <= SWEEP_ABOVE || scheduled - live <= scheduled / 2 {
            return;
        }
        let payloads = &self.payloads;
        self.heap.retain(|entry| payloads.contains(entry.sequence));
        self.payloads.compact(SWEEP_ABOVE);
