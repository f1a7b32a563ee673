        values.clear();
        self.pipe.drain()?;
        self.queue.length.store(0, Ordering::Relaxed);
        mem::swap(values, &mut *self.queue.values.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(())
