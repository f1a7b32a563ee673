        // expect: the smallest step:          1 ms or more
        let milliseconds = self.start.elapsed().as_millis();
        Time::ZERO + Duration::from_millis(u64::try_from(milliseconds).unwrap_or(u64::MAX))
