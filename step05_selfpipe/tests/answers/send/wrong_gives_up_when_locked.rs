        let Some(queue) = self.queue.upgrade() else {
            return Err(value);
        };
        let Ok(mut values) = queue.values.try_lock() else {
            return Err(value);
        };
        values.push(value);
        queue.length.store(values.len(), Ordering::Relaxed);
        let is_first = values.len() == 1;
        drop(values);
        if is_first {
            self.waker.wake();
        }
        Ok(())
