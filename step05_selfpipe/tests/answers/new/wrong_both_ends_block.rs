// hangs
        // expect: on a socket: nothing arrived
        let (reader, writer) = std::os::unix::net::UnixStream::pair()?;
        Ok(SelfPipe { reader: reader.into(), waker: LoopWaker { writer: Arc::new(writer.into()) } })
