        let Some(queue) = self.queue.upgrade() else {
            return Err(value);
        };
        let was_empty = lock(&queue).is_empty();
        lock(&queue).push(value);
        if was_empty {
            self.waker.wake();
        }
        Ok(())
