        self.pipe.drain()?;
        mem::swap(news, &mut *lock(&self.queue));
        Ok(())
