        self.pipe.drain()?;
        let taken = mem::take(&mut *lock(&self.queue));
        *values = taken;
        Ok(())
