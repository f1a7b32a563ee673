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
    let stream = TcpStream::from(socket);
    match stream.take_error()? {
        Some(error) => Err(error),
        None => Ok(Connecting { stream }),
    }
