    match timeout {
        None => -1,
        Some(timeout) => {
            let started = u64::from(timeout.subsec_nanos() % 1_000_000 != 0);
            let whole = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
            let rounded_up = whole.saturating_add(started);
            i32::try_from(rounded_up).unwrap_or(i32::MAX)
        }
    }
