    let socket = tcp_socket()?;
    let fd = socket.as_raw_fd();
    let (raw, length) = raw_address(address);
    // SAFETY: `raw` is a valid address of this length, and the kernel only reads it.
    let returned = unsafe { libc::connect(fd, (&raw const raw).cast(), length) };
    match check(returned, || format!("connect fd {fd} to {address}")) {
        Err(error) if !matches!(errno(&error), Some(libc::EINPROGRESS | libc::EINTR)) => Err(error),
        _ => Ok(Connecting { stream: socket.into() }),
    }
