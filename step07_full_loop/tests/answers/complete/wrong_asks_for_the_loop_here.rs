        let number = self.number;
        *self.outcome.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        // No loop runs on a thread of the pool.
        let event_loop = get_running_loop()?;
        event_loop.finish_remote_future(number);
        Ok(())
