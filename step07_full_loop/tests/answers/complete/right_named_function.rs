        fn finish(number: u64) {
            if let Ok(event_loop) = get_running_loop() {
                event_loop.finish_remote_future(number);
            }
        }
        let Self { number, outcome: cell, handle } = self;
        {
            let mut cell = cell.lock().unwrap_or_else(PoisonError::into_inner);
            cell.replace(outcome);
        }
        handle.call_soon_threadsafe(move || finish(number))
