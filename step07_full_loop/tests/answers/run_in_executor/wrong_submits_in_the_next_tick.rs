        self.assert_open_to("run_in_executor");
        let (future, completer) = self.create_remote_future();
        let number = completer.number();
        let work = Work::new(move || {
            let _ = match catch_unwind(AssertUnwindSafe(work)) {
                Ok(outcome) => completer.complete(outcome),
                Err(panic) => completer.complete(Err(Error::panicked(&*panic))),
            };
        });
        let (event_loop, later) = (self.clone(), work.clone());
        self.core.queue.call_soon(move || drop(event_loop.submit(later)));
        future.add_done_callback(move |future| {
            if future.cancelled() {
                if let Ok(event_loop) = get_running_loop() {
                    event_loop.forget_remote_future(number);
                }
                work.cancel();
            }
        });
        future
