        // expect: 0 to 7, all at 10 ms:           0 2 
        other.when.cmp(&self.when)
