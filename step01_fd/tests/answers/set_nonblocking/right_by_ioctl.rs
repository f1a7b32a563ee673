    let fd = fd.as_fd().as_raw_fd();
    let mut wanted = libc::c_int::from(nonblocking);
    // SAFETY: FIONBIO reads one integer.
    let set = unsafe { libc::ioctl(fd, libc::FIONBIO, &raw mut wanted) };
    check(set, || format!("ioctl FIONBIO fd {fd}"))?;
    Ok(())
