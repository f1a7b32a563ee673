        let Some(queue) = self.queue.upgrade() else {
            return Err(value);
        };
        let is_first = {
            let mut values = lock(&queue);
            values.push(value);
            values.len() == 1
        };
        if is_first {
            let waker = self.waker.clone();
            std::thread::spawn(move || waker.wake());
        }
        Ok(())
