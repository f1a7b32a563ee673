        // Every future is the first.
        let number = 1;
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        self.handle.call_soon_threadsafe(move || {
            if let Ok(event_loop) = get_running_loop() {
                event_loop.finish_remote_future(number);
            }
        })
