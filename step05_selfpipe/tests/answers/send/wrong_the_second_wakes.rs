        let Some(queue) = self.queue.upgrade() else {
            return Err(value);
        };
        let mut values = lock(&queue);
        values.push(value);
        let count = values.len();
        drop(values);
        if count <= 2 {
            self.waker.wake();
        }
        Ok(())
