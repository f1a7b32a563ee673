        if !self.locked() && !self.waiters.any_live() {
            self.locked.set(true);
            return Ok(());
        }
        let place = self.waiters.join(self.bound.create_future()?);
        let mut turn = Turn { lock: self, place };
        match turn.place.wait().await {
            Err(error) if self.locked() => return Err(error),
            _ => {}
        }
        self.locked.set(true);
        Ok(())
