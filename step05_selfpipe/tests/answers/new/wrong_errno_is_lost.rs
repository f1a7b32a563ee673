        let pair = socketpair().map_err(|error| io::Error::other(error.to_string()));
        let (reader, writer) = pair?;
        Ok(SelfPipe { reader, waker: LoopWaker { writer: Arc::new(writer) } })
