        self.assert_open_to("run_in_executor");
        let (future, completer) = self.create_remote_future();
        let number = completer.number();
        let work = Work::new(move || {
            let (outcome, _panic) = match catch_unwind(AssertUnwindSafe(work)) {
                Ok(outcome) => (outcome, None),
                Err(panic) => (Err(Error::panicked(&*panic)), Some(panic)),
            };
            let is_cancelled = outcome.as_ref().is_err_and(Error::is_cancelled);
            let outcome = if is_cancelled { Err(Error::other("cancelled")) } else { outcome };
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
