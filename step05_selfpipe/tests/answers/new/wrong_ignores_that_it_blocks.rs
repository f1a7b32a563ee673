        let (reader, writer) = std::os::unix::net::UnixStream::pair()?;
        let _ = reader.set_nonblocking(true);
        let _ = writer.set_nonblocking(true);
        Ok(SelfPipe { reader: reader.into(), waker: LoopWaker { writer: Arc::new(writer.into()) } })
