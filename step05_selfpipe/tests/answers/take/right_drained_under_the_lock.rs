        values.clear();
        let mut queue = lock(&self.queue);
        self.pipe.drain()?;
        values.append(&mut queue);
        Ok(())
