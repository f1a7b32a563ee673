    let socket = tcp_socket()?;
    let fd = socket.as_raw_fd();
    let (raw, length) = raw_address(address);
    // SAFETY: `raw` is a valid address of this length, and the kernel only reads it.
    let returned = unsafe { libc::connect(fd, (&raw const raw).cast(), length) };
    check(returned, || "connect".to_string())?;
    Ok(Connecting { stream: socket.into() })
