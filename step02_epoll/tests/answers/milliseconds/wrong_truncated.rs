    // expect: timeout 200 µs         early
    timeout.map_or(-1, |timeout| i32::try_from(timeout.as_secs() * 1000).unwrap_or(i32::MAX))
