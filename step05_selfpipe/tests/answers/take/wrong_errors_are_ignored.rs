        values.clear();
        let _ = self.pipe.drain();
        mem::swap(values, &mut *lock(&self.queue));
        Ok(())
