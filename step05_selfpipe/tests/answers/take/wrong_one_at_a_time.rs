        // expect: three are sent, take: ["three"]
        news.clear();
        self.pipe.drain()?;
        news.extend(lock(&self.queue).pop());
        Ok(())
