    // expect: timeout 200 µs         early
    let Some(timeout) = timeout else {
        return -1;
    };
    let nearest = (timeout.as_nanos() + 500_000) / 1_000_000;
    libc::c_int::try_from(nearest).unwrap_or(libc::c_int::MAX)
