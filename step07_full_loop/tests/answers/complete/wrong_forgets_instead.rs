        let number = self.number;
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        self.handle.call_soon_threadsafe(move || {
            if let Ok(event_loop) = get_running_loop() {
                event_loop.forget_remote_future(number);
            }
        })
