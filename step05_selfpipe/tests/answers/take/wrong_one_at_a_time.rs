        // expect: three were sent, taken: ["three"]
        values.clear();
        self.pipe.drain()?;
        values.extend(lock(&self.queue).pop());
        Ok(())
