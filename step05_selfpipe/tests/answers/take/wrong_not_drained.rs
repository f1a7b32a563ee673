        // expect: the inbox is:       readable
        news.clear();
        mem::swap(news, &mut *lock(&self.queue));
        Ok(())
