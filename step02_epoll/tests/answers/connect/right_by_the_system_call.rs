    let socket = tcp_socket()?;
    let (raw, length) = raw_address(address);
    let (fd, at) = (socket.as_raw_fd(), &raw const raw);
    // SAFETY: `at` points to an address of this length, and the kernel only reads it.
    let returned = unsafe { libc::syscall(libc::SYS_connect, fd, at, length) };
    let result = if returned == -1 { Err(io::Error::last_os_error()) } else { Ok(()) };
    result
        .or_else(|error| match error.kind() {
            io::ErrorKind::Interrupted => Ok(()),
            _ if error.raw_os_error() == Some(libc::EINPROGRESS) => Ok(()),
            _ => Err(step01_fd::CallError::wrap("connect", error)),
        })
        .map(|()| Connecting { stream: TcpStream::from(socket) })
