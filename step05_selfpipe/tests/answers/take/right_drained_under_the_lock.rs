        values.clear();
        let mut queue = lock(&self.queue);
        self.pipe.drain()?;
        mem::swap(values, &mut queue);
        Ok(())
