        // expect: none is sent, take:   ["one", "two", "three"]
        self.pipe.drain()?;
        news.append(&mut lock(&self.queue));
        Ok(())
