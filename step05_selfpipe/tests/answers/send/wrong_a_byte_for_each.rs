        // expect: bytes in the pipe:
        let Some(queue) = self.queue.upgrade() else {
            return Err(value);
        };
        lock(&queue).push(value);
        self.waker.wake();
        Ok(())
