        if !self.locked() && !self.waiters.any_live() {
            self.locked.set(true);
            return step06_tasks::yield_now().await;
        }
        let place = self.waiters.join(self.bound.create_future()?);
        let mut turn = Turn { lock: self, place };
        turn.place.wait().await?;
        self.locked.set(true);
        Ok(())
