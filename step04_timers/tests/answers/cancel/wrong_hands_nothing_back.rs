        // expect: cancel second:       None
        drop(self.payloads.take(id.sequence));
        None
