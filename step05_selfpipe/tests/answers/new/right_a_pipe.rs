        let (reader, writer) = step01_fd::pipe()?;
        Ok(SelfPipe { reader, waker: LoopWaker { writer: Arc::new(writer) } })
