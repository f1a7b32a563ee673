    let Some(timeout) = timeout else {
        return -1;
    };
    let millis = (timeout.as_nanos() as u64).div_ceil(1_000_000);
    libc::c_int::try_from(millis).unwrap_or(libc::c_int::MAX)
