        let Some(queue) = self.queue.upgrade() else { return Err(value) };
        let mut values = lock(&queue);
        values.push(value);
        if let [_] = values.as_slice() {
            self.waker.wake();
        }
        Ok(())
