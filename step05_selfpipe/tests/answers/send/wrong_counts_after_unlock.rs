        let Some(queue) = self.queue.upgrade() else {
            return Err(value);
        };
        let mut values = queue.values.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = values.is_empty();
        values.push(value);
        drop(values);
        // The length is atomic, so it needn't keep the others from the lock.
        queue.length.fetch_add(1, Ordering::Relaxed);
        if is_first {
            self.waker.wake();
        }
        Ok(())
