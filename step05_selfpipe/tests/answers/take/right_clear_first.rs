        values.clear();
        self.pipe.drain()?;
        let mut queued = lock(&self.queue);
        mem::swap(&mut *queued, values);
        Ok(())
