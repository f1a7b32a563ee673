        let Some(queue) = self.queue.upgrade() else {
            return Err(value);
        };
        queue.values.lock().unwrap_or_else(PoisonError::into_inner).push(value);
        if queue.length.fetch_add(1, Ordering::AcqRel) == 0 {
            self.waker.wake();
        }
        Ok(())
