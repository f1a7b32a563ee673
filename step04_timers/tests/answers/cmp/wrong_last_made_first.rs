        other.when.cmp(&self.when).then(self.sequence.cmp(&other.sequence))
