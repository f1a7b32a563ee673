        values.clear();
        self.pipe.drain()?;
        if !self.is_empty() {
            mem::swap(values, &mut *lock(&self.queue));
        }
        Ok(())
