    // expect: timeout 200 µs         early
    let Some(timeout) = timeout else {
        return -1;
    };
    libc::c_int::try_from(timeout.as_millis()).unwrap_or(libc::c_int::MAX)
