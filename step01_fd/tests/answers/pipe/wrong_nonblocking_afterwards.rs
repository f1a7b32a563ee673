    let (reader, writer) = io::pipe().map_err(|error| crate::CallError::wrap("pipe2", error))?;
    let (reader, writer) = (OwnedFd::from(reader), OwnedFd::from(writer));
    for end in [&reader, &writer] {
        let mut wanted: libc::c_int = 1;
        // SAFETY: FIONBIO reads one integer.
        let set = unsafe { libc::ioctl(end.as_raw_fd(), libc::FIONBIO, &raw mut wanted) };
        check(set, || "ioctl FIONBIO".to_string())?;
    }
    Ok((reader, writer))
