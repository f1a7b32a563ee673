        let mut emptied = mem::take(values);
        emptied.clear();
        self.pipe.drain().map(|_| {
            *values = mem::replace(&mut *lock(&self.queue), emptied);
        })
