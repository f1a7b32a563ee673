        // expect: three are sent, take: ["three"]
        values.clear();
        self.pipe.drain()?;
        values.extend(lock(&self.queue).pop());
        Ok(())
