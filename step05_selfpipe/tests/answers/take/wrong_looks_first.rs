// hangs
        values.clear();
        let is_empty = lock(&self.queue).is_empty();
        self.pipe.drain()?;
        if !is_empty {
            mem::swap(values, &mut *lock(&self.queue));
        }
        Ok(())
