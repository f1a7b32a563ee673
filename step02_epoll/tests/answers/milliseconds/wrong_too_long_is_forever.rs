    let rounded_up = timeout.map(|timeout| timeout.as_nanos().div_ceil(1_000_000));
    rounded_up.and_then(|millis| libc::c_int::try_from(millis).ok()).unwrap_or(-1)
