        // expect: the inbox is:       readable
        values.clear();
        mem::swap(values, &mut *lock(&self.queue));
        Ok(())
