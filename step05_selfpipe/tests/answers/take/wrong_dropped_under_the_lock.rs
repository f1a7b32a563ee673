        // expect: futex, for a lock
        self.pipe.drain()?;
        let mut queue = lock(&self.queue);
        *news = mem::take(&mut *queue);
        Ok(())
