    match timeout {
        Some(timeout) => timeout.as_nanos().div_ceil(1_000_000) as libc::c_int,
        None => -1,
    }
