// hangs
        if !self.locked() && !self.waiters.any_live() {
            self.locked.set(true);
            return Ok(());
        }
        self.waiters.join(self.bound.create_future()?).wait().await?;
        self.locked.set(true);
        Ok(())
