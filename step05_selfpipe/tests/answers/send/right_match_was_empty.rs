        match self.queue.upgrade() {
            None => Err(value),
            Some(queue) => {
                let mut values = lock(&queue);
                let was_empty = values.is_empty();
                values.push(value);
                // Not under the lock: the loop may be about to take it.
                drop(values);
                if was_empty {
                    self.waker.wake();
                }
                Ok(())
            }
        }
