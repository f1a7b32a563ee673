    // The stream owns the socket from the start, so that every error closes it.
    let stream = TcpStream::from(tcp_socket()?);
    let (raw, length) = raw_address(address);
    let pointer = std::ptr::from_ref(&raw).cast::<libc::sockaddr>();
    // SAFETY: `pointer` is to `raw`, an address of this length, which lives until the call is over.
    if unsafe { libc::connect(stream.as_raw_fd(), pointer, length) } == 0 {
        return Ok(Connecting { stream });
    }
    let reason = io::Error::last_os_error();
    let goes_on = [libc::EINPROGRESS, libc::EINTR].map(Some);
    if goes_on.contains(&reason.raw_os_error()) {
        return Ok(Connecting { stream });
    }
    Err(step01_fd::CallError::wrap(format!("connect {address}"), reason))
