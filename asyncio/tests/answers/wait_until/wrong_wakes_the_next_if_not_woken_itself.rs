        struct WakeNext<'a, F: Fn() -> bool>(&'a Waiters, &'a F);
        impl<F: Fn() -> bool> Drop for WakeNext<'_, F> {
            fn drop(&mut self) {
                if (self.1)() {
                    self.0.wake_next();
                }
            }
        }
        while !can_go_on() {
            if self.is_shut_down.get() {
                return Err(SyncError::QueueShutDown.into());
            }
            // Dropped in the opposite order: the place leaves first.
            let wake_next = WakeNext(waiters, &can_go_on);
            let mut place = waiters.join(self.bound.create_future()?);
            place.wait().await?;
            place.leave();
            std::mem::forget(wake_next);
        }
        Ok(())
