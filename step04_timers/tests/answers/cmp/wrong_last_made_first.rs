        // expect: 7 6 5 4 3 2 1 0
        other.when.cmp(&self.when).then(self.sequence.cmp(&other.sequence))
