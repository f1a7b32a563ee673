        let Some(queue) = self.queue.upgrade() else {
            return Err(value);
        };
        let mut values = lock(&queue);
        let is_first = values.capacity() == 0;
        values.push(value);
        drop(values);
        if is_first {
            self.waker.wake();
        }
        Ok(())
