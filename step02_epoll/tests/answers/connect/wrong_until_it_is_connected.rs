// hangs
    let socket = tcp_socket()?;
    let fd = socket.as_raw_fd();
    let (raw, length) = raw_address(address);
    loop {
        // SAFETY: `raw` is a valid address of this length, and the kernel only reads it.
        let returned = unsafe { libc::connect(fd, (&raw const raw).cast(), length) };
        match check(returned, || "connect".to_string()) {
            Err(error) => match errno(&error) {
                Some(libc::EINTR | libc::EINPROGRESS | libc::EALREADY) => std::thread::yield_now(),
                Some(libc::EISCONN) => return Ok(Connecting { stream: socket.into() }),
                _ => return Err(error),
            },
            Ok(_) => return Ok(Connecting { stream: socket.into() }),
        }
    }
