        self.pipe.drain()?;
        let taken = mem::take(&mut *lock(&self.queue));
        *news = taken;
        Ok(())
