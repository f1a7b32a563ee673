    let Some(timeout) = timeout else {
        return -1;
    };
    let millis = timeout.as_micros().div_ceil(1000);
    libc::c_int::try_from(millis).unwrap_or(libc::c_int::MAX)
