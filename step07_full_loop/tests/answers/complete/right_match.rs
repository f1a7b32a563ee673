        let number = self.number;
        match self.outcome.lock() {
            Ok(mut cell) => *cell = Some(outcome),
            Err(poisoned) => *poisoned.into_inner() = Some(outcome),
        }
        match self.handle.call_soon_threadsafe(move || match get_running_loop() {
            Ok(event_loop) => event_loop.finish_remote_future(number),
            Err(_) => {}
        }) {
            Ok(()) => Ok(()),
            Err(error) => Err(error),
        }
