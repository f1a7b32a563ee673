// hangs
    let socket = tcp_socket()?;
    let fd = socket.as_raw_fd();
    let (raw, length) = raw_address(address);
    // SAFETY: `raw` is a valid address of this length, and the kernel only reads it.
    let returned = unsafe { libc::connect(fd, (&raw const raw).cast(), length) };
    if let Err(error) = check(returned, || "connect".to_string())
        && !matches!(errno(&error), Some(libc::EINPROGRESS | libc::EINTR))
    {
        return Err(error);
    }
    let mut entry = libc::pollfd { fd, events: libc::POLLOUT, revents: 0 };
    // SAFETY: the kernel reads and writes one entry, and there is one.
    unsafe { libc::poll(&raw mut entry, 1, -1) };
    Ok(Connecting { stream: socket.into() })
