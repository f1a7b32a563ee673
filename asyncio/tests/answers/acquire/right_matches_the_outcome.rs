        let is_free = !self.locked.get() && !self.waiters.any_live();
        if is_free {
            self.locked.replace(true);
            return Ok(());
        }
        let woken = self.bound.create_future()?;
        let mut turn = Turn { lock: self, place: self.waiters.join(woken) };
        match turn.place.wait().await {
            Ok(()) => {
                turn.lock.locked.set(true);
                Ok(())
            }
            Err(error) => Err(error),
        }
