        other.when.cmp(&self.when)
