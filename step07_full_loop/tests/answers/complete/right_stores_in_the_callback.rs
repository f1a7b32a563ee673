        // The outcome travels with the callback, and gets into its cell on the loop's thread.
        let Completer { number, outcome: cell, handle } = self;
        handle.call_soon_threadsafe(move || {
            *cell.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
            if let Ok(event_loop) = get_running_loop() {
                event_loop.finish_remote_future(number);
            }
        })
