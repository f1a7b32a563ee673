        let (reader, writer) = step01_fd::socketpair()?;
        std::mem::forget(writer.try_clone()?);
        Ok(SelfPipe { reader, waker: LoopWaker { writer: Arc::new(writer) } })
