    let Some(timeout) = timeout else {
        return -1;
    };
    let timeout = timeout.min(Duration::from_mins(1));
    libc::c_int::try_from(timeout.as_nanos().div_ceil(1_000_000)).unwrap_or(libc::c_int::MAX)
