        // expect: epoll_wait, with no timeout: nobody woke it
        news.clear();
        mem::swap(news, &mut *lock(&self.queue));
        self.pipe.drain()?;
        Ok(())
