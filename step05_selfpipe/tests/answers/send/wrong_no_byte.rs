        // expect: in epoll_wait, with no timeout: nobody woke it
        let Some(queue) = self.queue.upgrade() else {
            return Err(value);
        };
        lock(&queue).push(value);
        Ok(())
