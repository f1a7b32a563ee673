// hangs
        // expect: futex, for a lock
        self.pipe.drain()?;
        let mut queue = lock(&self.queue);
        *values = mem::take(&mut *queue);
        Ok(())
