        let Some(queue) = self.queue.upgrade() else {
            return Err(value);
        };
        let mut values = queue.values.lock().unwrap_or_else(PoisonError::into_inner);
        values.push(value);
        let length = values.len();
        drop(values);
        if length == 1 {
            self.waker.wake();
        }
        queue.length.store(length, Ordering::Relaxed);
        Ok(())
