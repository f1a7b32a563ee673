        self.assert_open_to("run_in_executor");
        let (future, completer) = self.create_remote_future();
        let number = completer.number();
        let work = Work::new(move || {
            let ended = catch_unwind(AssertUnwindSafe(work));
            let _ = match ended {
                Ok(outcome) => completer.complete(outcome),
                Err(panic) => completer.complete(Err(Error::panicked(&*panic))),
            };
        });
        let waiting = work.clone();
        let event_loop = self.clone();
        future.add_done_callback(move |future| {
            if future.cancelled() {
                event_loop.forget_remote_future(number);
                waiting.cancel();
            }
        });
        match self.submit(work) {
            Ok(()) => future,
            Err(error) => {
                self.forget_remote_future(number);
                let _ = future.set_exception(error);
                future
            }
        }
