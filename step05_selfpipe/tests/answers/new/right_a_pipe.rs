        let (reader, writer) = step01_fd::pipe()?;
        Ok(SelfPipe { reader, waker: Waker { writer: Arc::new(writer) } })
