        fn perform<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
            catch_unwind(AssertUnwindSafe(work)).map_err(|panic| Error::panicked(&*panic))?
        }
        self.assert_open();
        let (future, completer) = self.create_remote_future();
        let number = completer.number();
        let work = Work::new(move || {
            let outcome = perform(work);
            let _ = completer.complete(outcome);
        });
        if let Err(error) = self.submit(work.clone()) {
            self.forget_remote_future(number);
            let _ = future.set_exception(error);
            return future;
        }
        future.add_done_callback(move |future| {
            if future.cancelled() {
                work.cancel();
                if let Ok(event_loop) = get_running_loop() {
                    event_loop.forget_remote_future(number);
                }
            }
        });
        future
