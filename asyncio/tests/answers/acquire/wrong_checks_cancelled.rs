        step06_tasks::check_cancelled()?;
        if !self.locked() && !self.waiters.any_live() {
            self.locked.set(true);
            return Ok(());
        }
        let place = self.waiters.join(self.bound.create_future()?);
        let mut turn = Turn { lock: self, place };
        turn.place.wait().await?;
        self.locked.set(true);
        Ok(())
