        // expect: a clock started later:      shows no less
        use std::time::SystemTime;
        static FIRST: std::sync::OnceLock<SystemTime> = std::sync::OnceLock::new();
        let first = *FIRST.get_or_init(|| SystemTime::now() - self.start.elapsed());
        Time::ZERO + first.elapsed().unwrap_or_default()
