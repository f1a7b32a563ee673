        let mut cell = self.outcome.lock().unwrap_or_else(PoisonError::into_inner);
        *cell = Some(outcome);
        drop(cell);
        let number = self.number;
        self.handle.call_soon_threadsafe(move || {
            let _ = get_running_loop().map(|event_loop| event_loop.finish_remote_future(number));
        })
