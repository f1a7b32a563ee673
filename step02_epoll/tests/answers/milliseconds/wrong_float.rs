    match timeout {
        // The cast saturates.
        Some(timeout) => (timeout.as_secs_f64() * 1000.0).ceil() as libc::c_int,
        None => -1,
    }
