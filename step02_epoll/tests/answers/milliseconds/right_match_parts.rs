    match timeout {
        None => -1,
        Some(time) => {
            let millis = u64::from(time.subsec_nanos().div_ceil(1_000_000));
            let total = time.as_secs().saturating_mul(1000).saturating_add(millis);
            i32::try_from(total).unwrap_or(i32::MAX)
        }
    }
