        let Some(queue) = self.queue.upgrade() else {
            return Err(value);
        };
        let was_empty = queue.length.load(Ordering::SeqCst) == 0;
        lock(&queue).push(value);
        if was_empty {
            self.waker.wake();
        }
        Ok(())
