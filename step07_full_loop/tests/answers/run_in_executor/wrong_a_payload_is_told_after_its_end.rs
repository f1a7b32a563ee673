// expect: PayloadPanics
        self.assert_open_to("run_in_executor");
        let (future, completer) = self.create_remote_future();
        let number = completer.number();
        let work = Work::new(move || {
            let outcome = match catch_unwind(AssertUnwindSafe(work)) {
                Ok(outcome) => outcome,
                Err(panic) => {
                    let error = Error::panicked(&*panic);
                    drop(panic);
                    Err(error)
                }
            };
            let _ = completer.complete(outcome);
        });
        if let Err(error) = self.submit(work.clone()) {
            self.forget_remote_future(number);
            let _ = future.set_exception(error);
            return future;
        }
        future.add_done_callback(move |future| {
            if future.cancelled() {
                if let Ok(event_loop) = get_running_loop() {
                    event_loop.forget_remote_future(number);
                }
                work.cancel();
            }
        });
        future
