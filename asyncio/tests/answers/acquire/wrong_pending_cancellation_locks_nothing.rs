        if !self.locked() && !self.waiters.any_live() {
            if step06_tasks::current_task().is_some_and(|task| task.cancelling() > 0) {
                return Err(step06_tasks::Error::cancelled());
            }
            self.locked.set(true);
            return Ok(());
        }
        let place = self.waiters.join(self.bound.create_future()?);
        let mut turn = Turn { lock: self, place };
        turn.place.wait().await?;
        self.locked.set(true);
        Ok(())
