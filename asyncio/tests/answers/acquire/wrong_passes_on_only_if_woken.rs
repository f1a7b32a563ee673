        if !self.locked() && !self.waiters.any_live() {
            self.locked.set(true);
            return Ok(());
        }
        let mut place = self.waiters.join(self.bound.create_future()?);
        let outcome = place.wait().await;
        if outcome.is_ok() {
            self.locked.set(true);
        } else if place.was_woken() {
            place.leave();
            self.waiters.wake_first();
        }
        outcome
