        // expect: none is sent, take:   ["one", "two", "three"]
        self.pipe.drain()?;
        values.append(&mut lock(&self.queue));
        Ok(())
