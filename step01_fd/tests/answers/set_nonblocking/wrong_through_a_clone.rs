    let raw = fd.as_fd().as_raw_fd();
    // A duplicate names the same open object, so its flags are the ones we want to change.
    let duplicate = fd.as_fd().try_clone_to_owned()?;
    let stream = std::os::unix::net::UnixStream::from(duplicate);
    stream
        .set_nonblocking(nonblocking)
        .map_err(|reason| crate::CallError::wrap(format!("ioctl FIONBIO fd {raw}"), reason))
