        // expect: another one began later:     false
        use std::time::SystemTime;
        static FIRST: std::sync::OnceLock<SystemTime> = std::sync::OnceLock::new();
        let first = *FIRST.get_or_init(|| SystemTime::now() - self.start.elapsed());
        Time::ZERO + first.elapsed().unwrap_or_default()
