    // The kernel changes this one flag in a single call, so there's nothing to read first.
    let fd = fd.as_fd();
    let mut on = libc::c_int::from(nonblocking);
    // SAFETY: FIONBIO reads one int, and `on` is that.
    let done = unsafe { libc::ioctl(fd.as_raw_fd(), libc::FIONBIO, &raw mut on) };
    check(done, || format!("ioctl FIONBIO fd {} {on}", fd.as_raw_fd())).map(drop)
