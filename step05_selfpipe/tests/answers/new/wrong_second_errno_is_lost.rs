        let (reader, writer) = std::os::unix::net::UnixStream::pair()?;
        reader.set_nonblocking(true)?;
        if writer.set_nonblocking(true).is_err() {
            return Err(io::Error::from(io::ErrorKind::Other));
        }
        Ok(SelfPipe { reader: reader.into(), waker: LoopWaker { writer: Arc::new(writer.into()) } })
