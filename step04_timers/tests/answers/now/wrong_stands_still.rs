        // expect: 2 ms later, it has gone on: less than 2 ms
        Time::ZERO + Instant::now().duration_since(self.start.max(Instant::now()))
