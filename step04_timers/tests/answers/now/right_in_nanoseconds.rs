        let passed = Instant::now().saturating_duration_since(self.start);
        Time::from_nanos(u64::try_from(passed.as_nanos()).unwrap_or(u64::MAX))
