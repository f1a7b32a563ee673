    timeout.map_or(-1, |time| {
        let whole = time.as_nanos().div_ceil(1_000_000);
        libc::c_int::try_from(whole).unwrap_or(libc::c_int::MAX)
    })
