        self.assert_open_to("run_in_executor");
        let (future, completer) = self.create_remote_future();
        let number = completer.number();
        let is_cancelled = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        let asked = std::sync::Arc::clone(&is_cancelled);
        let work = Work::new(move || {
            if asked.load(std::sync::atomic::Ordering::Acquire) {
                return;
            }
            let _ = match catch_unwind(AssertUnwindSafe(work)) {
                Ok(outcome) => completer.complete(outcome),
                Err(panic) => completer.complete(Err(Error::panicked(&*panic))),
            };
        });
        if let Err(error) = self.submit(work) {
            self.forget_remote_future(number);
            let _ = future.set_exception(error);
            return future;
        }
        future.add_done_callback(move |future| {
            if future.cancelled() {
                is_cancelled.store(true, std::sync::atomic::Ordering::Release);
                if let Ok(event_loop) = get_running_loop() {
                    event_loop.forget_remote_future(number);
                }
            }
        });
        future
