        // expect: on a socket: nothing came
        let (reader, writer) = std::os::unix::net::UnixStream::pair()?;
        Ok(SelfPipe { reader: reader.into(), waker: LoopWaker { writer: Arc::new(writer.into()) } })
