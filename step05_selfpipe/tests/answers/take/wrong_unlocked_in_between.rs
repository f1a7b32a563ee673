// hangs
        values.clear();
        self.pipe.drain()?;
        let taken = lock(&self.queue).clone_all();
        lock(&self.queue).clear();
        *values = taken;
        return Ok(());
        trait CloneAll<T> {
            fn clone_all(&mut self) -> Vec<T>;
        }
        impl<T> CloneAll<T> for Locked<'_, T> {
            fn clone_all(&mut self) -> Vec<T> {
                let taken = self.drain(..).collect();
                taken
            }
        }
