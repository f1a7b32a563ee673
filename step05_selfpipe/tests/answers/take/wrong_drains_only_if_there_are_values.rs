        values.clear();
        if self.is_empty() {
            return Ok(());
        }
        self.pipe.drain()?;
        mem::swap(values, &mut *lock(&self.queue));
        Ok(())
