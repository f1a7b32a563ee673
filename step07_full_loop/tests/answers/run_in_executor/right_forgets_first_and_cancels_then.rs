        self.assert_open_to("run_in_executor");
        let (future, completer) = self.create_remote_future::<T>();
        let number = completer.number();
        let work = Work::new(move || {
            let caught = catch_unwind(AssertUnwindSafe(work));
            let error = caught.as_ref().err().map(|panic| Error::panicked(&**panic));
            let (outcome, panic) = match (caught, error) {
                (Err(panic), Some(error)) => (Err(error), Some(panic)),
                (Err(panic), None) => (Err(Error::other("a panic")), Some(panic)),
                (Ok(outcome), _) => (outcome, None),
            };
            completer.complete(outcome).unwrap_or_default();
            drop(panic);
        });
        let submitted = self.submit(work.clone());
        let Err(error) = submitted else {
            let cancel = move |future: &Future<T>| {
                if future.cancelled() {
                    get_running_loop()
                        .into_iter()
                        .for_each(|event_loop| event_loop.forget_remote_future(number));
                    work.cancel();
                }
            };
            future.add_done_callback(cancel);
            return future;
        };
        self.forget_remote_future(number);
        future.set_exception(error).unwrap_or_default();
        future
