        if !self.locked() && !self.waiters.any_live() {
            self.locked.set(true);
            return Ok(());
        }
        let place = self.waiters.join(self.bound.create_future()?);
        let _turn = Turn { lock: self, place };
        self.locked.set(true);
        Ok(())
