    let socket = tcp_socket()?;
    let fd = socket.as_raw_fd();
    let (raw, length) = raw_address(address);
    // SAFETY: `raw` is a valid address of this length, and the kernel only reads it.
    let returned = unsafe { libc::connect(fd, (&raw const raw).cast(), length) };
    match check(returned, || "connect".to_string()) {
        Err(error) => match errno(&error) {
            Some(libc::EINPROGRESS | libc::EINTR | libc::EAGAIN) => {
                Ok(Connecting { stream: socket.into() })
            }
            _ => Err(error),
        },
        Ok(_) => Ok(Connecting { stream: socket.into() }),
    }
