        // expect: the alarm is on:        true
        values.clear();
        mem::swap(values, &mut *lock(&self.queue));
        Ok(())
