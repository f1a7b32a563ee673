        static PAIR: std::sync::Mutex<Option<(OwnedFd, OwnedFd)>> = std::sync::Mutex::new(None);
        let mut pair = PAIR.lock().expect("the pair");
        if pair.is_none() {
            *pair = Some(step01_fd::socketpair()?);
        }
        let (reader, writer) = pair.as_ref().expect("the pair");
        let (reader, writer) = (reader.try_clone()?, writer.try_clone()?);
        Ok(SelfPipe { reader, waker: LoopWaker { writer: Arc::new(writer) } })
