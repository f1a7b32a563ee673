    let Some(timeout) = timeout else {
        return -1;
    };
    let rounded_up = timeout.as_nanos().div_ceil(1_000_000);
    libc::c_int::try_from(rounded_up).unwrap_or(libc::c_int::MAX)
