        let (reader, writer) = step01_fd::socketpair().expect("a pair");
        Ok(SelfPipe { reader, waker: LoopWaker { writer: Arc::new(writer) } })
