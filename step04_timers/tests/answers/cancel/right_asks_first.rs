        let TimerId { sequence } = id;
        if !self.payloads.contains(sequence) {
            return None;
        }
        self.payloads.take(sequence)
