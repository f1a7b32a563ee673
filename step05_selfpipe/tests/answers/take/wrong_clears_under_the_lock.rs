// hangs
        self.pipe.drain()?;
        let mut queue = lock(&self.queue);
        values.clear();
        mem::swap(values, &mut queue);
        Ok(())
