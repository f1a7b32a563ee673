        // expect: in steps below 1 ms:         false
        let milliseconds = self.start.elapsed().as_millis();
        Time::ZERO + Duration::from_millis(u64::try_from(milliseconds).unwrap_or(u64::MAX))
