        while self.locked() {
            step06_tasks::yield_now().await?;
        }
        self.locked.set(true);
        Ok(())
