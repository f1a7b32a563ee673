        self.assert_open();
        let (future, completer) = self.create_remote_future();
        let number = completer.number();
        let work = Work::new(move || {
            let ended = catch_unwind(AssertUnwindSafe(work));
            let _ = completer.complete(ended.unwrap_or_else(|panic| Err(Error::panicked(&*panic))));
        });
        let submitted = self.submit(work.clone());
        // When the future is done, however, neither its work nor its entry is needed any more.
        future.add_done_callback(move |_| {
            work.cancel();
            if let Ok(event_loop) = get_running_loop() {
                event_loop.forget_remote_future(number);
            }
        });
        if let Err(error) = submitted {
            self.forget_remote_future(number);
            let _ = future.set_exception(error);
        }
        future
