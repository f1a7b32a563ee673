// hangs
    let stream = TcpStream::connect(address)?;
    stream.set_nonblocking(true)?;
    Ok(Connecting { stream })
