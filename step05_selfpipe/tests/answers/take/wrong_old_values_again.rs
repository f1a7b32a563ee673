        // expect: none was sent, taken:   ["one", "two", "three"]
        self.pipe.drain()?;
        values.append(&mut lock(&self.queue));
        Ok(())
