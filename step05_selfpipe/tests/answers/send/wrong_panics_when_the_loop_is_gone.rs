        // expect: the loop is there
        let queue = self.queue.upgrade().expect("the loop is there");
        let mut values = lock(&queue);
        values.push(value);
        let is_first = values.len() == 1;
        drop(values);
        if is_first {
            self.waker.wake();
        }
        Ok(())
