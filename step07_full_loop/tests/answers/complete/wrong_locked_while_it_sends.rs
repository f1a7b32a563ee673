        // hangs
        let number = self.number;
        let mut cell = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        *cell = Some(outcome);
        self.handle.call_soon_threadsafe(move || {
            if let Ok(event_loop) = get_running_loop() {
                event_loop.finish_remote_future(number);
            }
        })
