        // expect: eight times the same:     0 2 
        other.when.cmp(&self.when)
