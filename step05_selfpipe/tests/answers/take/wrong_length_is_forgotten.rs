        values.clear();
        self.pipe.drain()?;
        let mut queue = self.queue.values.lock().unwrap_or_else(PoisonError::into_inner);
        mem::swap(values, &mut queue);
        Ok(())
