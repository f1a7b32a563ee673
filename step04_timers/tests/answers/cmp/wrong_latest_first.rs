        // expect: 900ms 500ms 300ms 200ms 100ms
        self.when.cmp(&other.when).then(self.sequence.cmp(&other.sequence))
