    let socket = tcp_socket()?;
    let fd = socket.as_raw_fd();
    let (raw, length) = raw_address(address);
    // SAFETY: `raw` is a valid address of this length, and the kernel only reads it.
    let returned = unsafe { libc::connect(fd, (&raw const raw).cast(), length) };
    let error = check(returned, || "connect".to_string()).err();
    match error.as_ref().and_then(errno) {
        Some(libc::EINPROGRESS | libc::EINTR) => Ok(Connecting { stream: socket.into() }),
        _ => Err(error.unwrap_or_else(|| io::ErrorKind::AlreadyExists.into())),
    }
