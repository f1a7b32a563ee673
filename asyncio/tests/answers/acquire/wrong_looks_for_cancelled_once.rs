        // The line can only consist of cancelled ones if it's short.
        let nobody = self.waiters.len() <= 1 && !self.waiters.any_live();
        if !self.locked() && nobody {
            self.locked.set(true);
            return Ok(());
        }
        let place = self.waiters.join(self.bound.create_future()?);
        let mut turn = Turn { lock: self, place };
        turn.place.wait().await?;
        self.locked.set(true);
        Ok(())
