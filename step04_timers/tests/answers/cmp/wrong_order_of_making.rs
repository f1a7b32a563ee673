        // expect: 500ms 200ms 300ms 900ms 100ms
        other.sequence.cmp(&self.sequence).then(other.when.cmp(&self.when))
