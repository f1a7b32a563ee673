    let Some(timeout) = timeout else {
        return -1;
    };
    let rounded_up = (timeout + Duration::from_nanos(999_999)).as_millis();
    libc::c_int::try_from(rounded_up).unwrap_or(libc::c_int::MAX)
