        news.clear();
        let mut queue = lock(&self.queue);
        self.pipe.drain()?;
        news.append(&mut queue);
        Ok(())
