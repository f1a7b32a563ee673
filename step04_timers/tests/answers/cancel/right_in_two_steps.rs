        if !self.values.contains(id.sequence) {
            return None;
        }
        self.values.take(id.sequence)
