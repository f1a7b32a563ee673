        let micros = u64::try_from(self.start.elapsed().as_micros()).unwrap_or(u64::MAX);
        Time::ZERO + Duration::from_micros(micros)
