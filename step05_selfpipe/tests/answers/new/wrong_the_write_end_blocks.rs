// hangs
        // expect: to a socket: nothing read
        let (reader, writer) = std::os::unix::net::UnixStream::pair()?;
        reader.set_nonblocking(true)?;
        Ok(SelfPipe { reader: reader.into(), waker: LoopWaker { writer: Arc::new(writer.into()) } })
