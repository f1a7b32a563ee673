// hangs
        // expect: epoll_wait, with no timeout: nothing woke it
        values.clear();
        mem::swap(values, &mut *lock(&self.queue));
        self.pipe.drain()?;
        Ok(())
