        // expect: 900
        self.when.cmp(&other.when).then(self.sequence.cmp(&other.sequence))
