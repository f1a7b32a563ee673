        self.assert_open_to("run_in_executor");
        let (future, completer) = self.create_remote_future();
        let number = completer.number();
        let work = Work::new(move || {
            let ended = catch_unwind(AssertUnwindSafe(work));
            let error = ended.as_ref().err().map(|panic| Err(Error::panicked(&**panic)));
            let (outcome, panic) = match ended {
                Ok(outcome) => (Some(outcome), None),
                Err(panic) => (error, Some(panic)),
            };
            if let Some(outcome) = outcome {
                let _ = completer.complete(outcome);
            }
            drop(panic);
        });
        let submitted = self.submit(work.clone());
        // When the future is done, however, neither its work nor its entry is needed any more.
        future.add_done_callback(move |_| {
            if let Ok(event_loop) = get_running_loop() {
                event_loop.forget_remote_future(number);
            }
            work.cancel();
        });
        if let Err(error) = submitted {
            self.forget_remote_future(number);
            let _ = future.set_exception(error);
        }
        future
