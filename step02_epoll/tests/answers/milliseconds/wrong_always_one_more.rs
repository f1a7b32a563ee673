    match timeout {
        None => -1,
        Some(Duration::ZERO) => 0,
        Some(timeout) => {
            libc::c_int::try_from(timeout.as_millis() + 1).unwrap_or(libc::c_int::MAX)
        }
    }
