        values.clear();
        let drained = self.pipe.drain();
        mem::swap(values, &mut *lock(&self.queue));
        if drained.is_err() {
            values.clear();
        }
        drained.map(drop)
