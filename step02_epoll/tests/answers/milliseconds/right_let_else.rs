    let Some(time) = timeout else {
        return -1;
    };
    let mut whole = time.as_millis();
    if time.subsec_nanos() % 1_000_000 != 0 {
        whole += 1;
    }
    whole.try_into().unwrap_or(libc::c_int::MAX)
