        socketpair().map(|(reader, writer)| {
            let writer = Arc::new(writer);
            SelfPipe { reader, waker: LoopWaker { writer } }
        })
