        let Some(queue) = self.queue.upgrade() else {
            return Err(value);
        };
        let mut values = lock(&queue);
        values.insert(0, value);
        let is_first = values.len() == 1;
        drop(values);
        if is_first {
            self.waker.wake();
        }
        Ok(())
