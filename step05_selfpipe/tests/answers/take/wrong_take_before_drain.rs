        // expect: epoll_wait, with no timeout: nothing woke it
        news.clear();
        mem::swap(news, &mut *lock(&self.queue));
        self.pipe.drain()?;
        Ok(())
