        self.assert_open();
        let (future, completer) = self.create_remote_future();
        let number = completer.number();
        let work = Work::new(move || {
            let ended = catch_unwind(AssertUnwindSafe(work));
            let _ = completer.complete(ended.unwrap_or_else(|panic| Err(Error::panicked(&*panic))));
        });
        work.clone().run();
        future.add_done_callback(move |future| {
            if future.cancelled() {
                work.cancel();
                if let Ok(event_loop) = get_running_loop() {
                    event_loop.forget_remote_future(number);
                }
            }
        });
        future
