        self.pipe.drain()?;
        values.clear();
        values.append(&mut lock(&self.queue));
        Ok(())
