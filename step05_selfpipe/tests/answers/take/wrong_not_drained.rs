        // expect: the alarm is on:        true
        news.clear();
        mem::swap(news, &mut *lock(&self.queue));
        Ok(())
