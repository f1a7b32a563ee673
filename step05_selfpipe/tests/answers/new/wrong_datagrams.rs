        let (reader, writer) = std::os::unix::net::UnixDatagram::pair()?;
        reader.set_nonblocking(true)?;
        writer.set_nonblocking(true)?;
        Ok(SelfPipe { reader: reader.into(), waker: LoopWaker { writer: Arc::new(writer.into()) } })
