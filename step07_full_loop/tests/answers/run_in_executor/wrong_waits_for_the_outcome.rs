        self.assert_open_to("run_in_executor");
        let (future, completer) = self.create_remote_future();
        let number = completer.number();
        let (tell, told) = std::sync::mpsc::channel();
        let work = Work::new(move || {
            let _ = match catch_unwind(AssertUnwindSafe(work)) {
                Ok(outcome) => completer.complete(outcome),
                Err(panic) => completer.complete(Err(Error::panicked(&*panic))),
            };
            let _ = tell.send(());
        });
        if let Err(error) = self.submit(work.clone()) {
            self.forget_remote_future(number);
            let _ = future.set_exception(error);
            return future;
        }
        let _ = told.recv();
        future.add_done_callback(move |future| {
            if future.cancelled() {
                if let Ok(event_loop) = get_running_loop() {
                    event_loop.forget_remote_future(number);
                }
                work.cancel();
            }
        });
        future
