        values.clear();
        self.pipe.drain()?;
        mem::swap(values, &mut *self.queue.values.lock().unwrap_or_else(PoisonError::into_inner));
        self.queue.length.fetch_sub(values.len(), Ordering::Relaxed);
        Ok(())
