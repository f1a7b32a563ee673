        // expect: 2 ms later, as much more:    false
        Time::ZERO + Instant::now().duration_since(self.start.max(Instant::now()))
