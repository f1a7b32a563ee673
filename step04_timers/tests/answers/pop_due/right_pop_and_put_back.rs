        loop {
            let entry = self.heap.pop()?;
            if !self.values.contains(entry.sequence) {
                continue;
            }
            if entry.when <= now {
                return self.values.take(entry.sequence);
            }
            self.heap.push(entry);
            return None;
        }
