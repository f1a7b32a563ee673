// hangs
        values.clear();
        self.pipe.drain()?;
        mem::swap(values, &mut *lock(&self.queue));
        self.pipe.drain()?;
        Ok(())
