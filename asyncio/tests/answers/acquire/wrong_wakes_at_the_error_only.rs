        if !self.locked() && !self.waiters.any_live() {
            self.locked.set(true);
            return Ok(());
        }
        let mut place = self.waiters.join(self.bound.create_future()?);
        if let Err(error) = place.wait().await {
            place.leave();
            if !self.locked() {
                self.waiters.wake_first();
            }
            return Err(error);
        }
        self.locked.set(true);
        Ok(())
