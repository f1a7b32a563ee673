        // expect: the loop wakes up to find:  0 in the queue
        let Some(queue) = self.queue.upgrade() else {
            return Err(value);
        };
        let was_empty = lock(&queue).is_empty();
        if was_empty {
            self.waker.wake();
        }
        lock(&queue).push(value);
        Ok(())
