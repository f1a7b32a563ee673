        let (reader, writer) = socketpair().map_err(|error| io::Error::from(error.kind()))?;
        Ok(SelfPipe { reader, waker: LoopWaker { writer: Arc::new(writer) } })
