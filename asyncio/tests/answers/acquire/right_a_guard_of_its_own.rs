        if !self.locked() && !self.waiters.any_live() {
            self.locked.set(true);
            return Ok(());
        }
        struct WakeNext<'a>(&'a Lock);
        impl Drop for WakeNext<'_> {
            fn drop(&mut self) {
                if !self.0.locked() {
                    self.0.waiters.wake_first();
                }
            }
        }
        // Dropped in the opposite order: the place leaves, and then the next is woken.
        let _wake_next = WakeNext(self);
        let mut place = self.waiters.join(self.bound.create_future()?);
        place.wait().await?;
        self.locked.set(true);
        Ok(())
