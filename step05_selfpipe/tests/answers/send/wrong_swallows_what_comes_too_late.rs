        // expect: send again:         Ok(())
        if let Some(queue) = self.queue.upgrade() {
            let mut values = lock(&queue);
            values.push(value);
            let is_first = values.len() == 1;
            drop(values);
            if is_first {
                self.waker.wake();
            }
        }
        Ok(())
