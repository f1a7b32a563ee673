        other.when.cmp(&self.when).then_with(|| other.sequence.cmp(&self.sequence))
