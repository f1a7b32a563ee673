        let number = self.number;
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        self.handle.call_soon_threadsafe(move || {
            if let Ok(event_loop) = get_running_loop() {
                let inner = event_loop.clone();
                event_loop.call_soon(move || inner.finish_remote_future(number));
            }
        })
