        let now = std::time::SystemTime::now();
        let elapsed = now.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
        Time::ZERO + elapsed
