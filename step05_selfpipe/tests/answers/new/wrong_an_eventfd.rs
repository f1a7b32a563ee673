        let counter: OwnedFd = EventFdOwned::new()?;
        let writer = counter.try_clone()?;
        return Ok(SelfPipe { reader: counter, waker: LoopWaker { writer: Arc::new(writer) } });
        struct EventFdOwned;
        impl EventFdOwned {
            fn new() -> io::Result<OwnedFd> {
                crate::EventFd::new()?.as_fd().try_clone_to_owned()
            }
        }
