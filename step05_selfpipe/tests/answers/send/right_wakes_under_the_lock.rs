        match self.queue.upgrade() {
            None => Err(value),
            Some(queue) => {
                let mut values = lock(&queue);
                if values.is_empty() {
                    values.push(value);
                    self.waker.wake();
                } else {
                    values.push(value);
                }
                Ok(())
            }
        }
