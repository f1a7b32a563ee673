        fn perform<T: Send + 'static>(
            work: impl FnOnce() -> Result<T>,
            completer: crate::Completer<T>,
        ) -> crate::LoopResult<()> {
            let caught = catch_unwind(AssertUnwindSafe(work));
            let panic = match caught {
                Ok(outcome) => return completer.complete(outcome),
                Err(panic) => panic,
            };
            completer.complete(Err(Error::panicked(panic.as_ref())))
        }
        self.assert_open_to("run_in_executor");
        let (future, completer) = self.create_remote_future();
        let number = completer.number();
        let work = Work::new(move || {
            let _ = perform(work, completer);
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
