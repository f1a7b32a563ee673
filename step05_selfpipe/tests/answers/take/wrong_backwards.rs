        values.clear();
        self.pipe.drain()?;
        mem::swap(values, &mut *lock(&self.queue));
        values.reverse();
        Ok(())
