        // expect: years, as if counted from 1970
        let since_1970 = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        Time::ZERO + since_1970.unwrap_or_default()
