        let Some(queue) = self.queue.upgrade() else {
            return Err(value);
        };
        lock(&queue).push(value);
        if lock(&queue).len() == 1 {
            self.waker.wake();
        }
        Ok(())
