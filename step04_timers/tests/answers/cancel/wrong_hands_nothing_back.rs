        // expect: cancel second:   None
        drop(self.values.take(id.sequence));
        None
