        let Some(queue) = self.queue.upgrade() else {
            return Err(value);
        };
        // Whoever is woken waits for the lock, and so finds the value.
        let mut values = lock(&queue);
        if values.is_empty() {
            self.waker.wake();
        }
        values.push(value);
        Ok(())
