    let rounded_up = timeout.unwrap_or(Duration::MAX).as_nanos().div_ceil(1_000_000);
    libc::c_int::try_from(rounded_up).unwrap_or(libc::c_int::MAX)
