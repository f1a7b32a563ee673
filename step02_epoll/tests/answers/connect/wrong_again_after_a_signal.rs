    let socket = tcp_socket()?;
    let fd = socket.as_raw_fd();
    let (raw, length) = raw_address(address);
    loop {
        // SAFETY: `raw` is a valid address of this length, and the kernel only reads it.
        let returned = unsafe { libc::connect(fd, (&raw const raw).cast(), length) };
        match check(returned, || "connect".to_string()) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) if errno(&error) != Some(libc::EINPROGRESS) => return Err(error),
            _ => return Ok(Connecting { stream: socket.into() }),
        }
    }
