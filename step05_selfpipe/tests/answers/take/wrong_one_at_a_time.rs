        // expect: three were sent, taken: ["three"]
        news.clear();
        self.pipe.drain()?;
        news.extend(lock(&self.queue).pop());
        Ok(())
