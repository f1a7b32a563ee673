        if !self.payloads.contains(id.sequence) {
            return None;
        }
        self.payloads.take(id.sequence)
