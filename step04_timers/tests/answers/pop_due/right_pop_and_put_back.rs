        loop {
            let entry = self.heap.pop()?;
            if !self.payloads.contains(entry.sequence) {
                continue;
            }
            if entry.when <= now {
                return self.payloads.take(entry.sequence);
            }
            self.heap.push(entry);
            return None;
        }
