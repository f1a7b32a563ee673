        let Some(queue) = self.queue.upgrade() else {
            return Err(value);
        };
        let mut values = lock(&queue);
        values.push(value);
        let is_first = values.len() == 1;
        drop(values);
        mem::forget(queue);
        if is_first {
            self.waker.wake();
        }
        Ok(())
