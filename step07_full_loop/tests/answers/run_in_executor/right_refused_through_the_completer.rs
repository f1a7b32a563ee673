        self.assert_open_to("run_in_executor");
        let (future, completer) = self.create_remote_future();
        let number = completer.number();
        let protected = move || match catch_unwind(AssertUnwindSafe(work)) {
            Ok(outcome) => outcome,
            Err(payload) => {
                let error = Error::panicked(payload.as_ref());
                // What it panics with in turn is of no interest.
                std::mem::forget(catch_unwind(AssertUnwindSafe(|| drop(payload))));
                Err(error)
            }
        };
        let work = Work::new(move || drop(completer.complete(protected())));
        let forget = {
            let event_loop = self.clone();
            move || event_loop.forget_remote_future(number)
        };
        if let Err(refusal) = self.submit(work.clone()) {
            forget();
            let refused: Result<()> = future.set_exception(refusal);
            debug_assert!(refused.is_ok());
        } else {
            future.add_done_callback(move |done| {
                if done.cancelled() {
                    forget();
                    work.cancel();
                }
            });
        }
        future
