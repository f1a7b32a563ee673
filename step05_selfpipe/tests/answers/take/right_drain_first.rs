        self.pipe.drain()?;
        values.clear();
        mem::swap(values, &mut *lock(&self.queue));
        Ok(())
