        let Some(queue) = self.queue.upgrade() else {
            return Err(value);
        };
        lock(&queue).push(value);
        if queue.length.load(Ordering::SeqCst) == 1 {
            self.waker.wake();
        }
        Ok(())
