        let Some(queue) = self.queue.upgrade() else {
            return Err(value);
        };
        let mut values = queue.values.lock().unwrap_or_else(PoisonError::into_inner);
        values.push(value);
        let is_first = values.len() == 1;
        drop(values);
        if is_first {
            self.waker.wake();
        }
        Ok(())
