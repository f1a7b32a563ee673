        let number = self.number;
        drop(outcome);
        self.handle.call_soon_threadsafe(move || {
            if let Ok(event_loop) = get_running_loop() {
                event_loop.finish_remote_future(number);
            }
        })
