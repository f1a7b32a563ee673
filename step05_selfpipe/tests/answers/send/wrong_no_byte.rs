// hangs
        // expect: in epoll_wait, with no timeout: nothing woke it
        let Some(queue) = self.queue.upgrade() else {
            return Err(value);
        };
        lock(&queue).push(value);
        Ok(())
