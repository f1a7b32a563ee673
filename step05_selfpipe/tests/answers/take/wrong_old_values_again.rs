        // expect: none was sent, taken:   ["one", "two", "three"]
        self.pipe.drain()?;
        news.append(&mut lock(&self.queue));
        Ok(())
