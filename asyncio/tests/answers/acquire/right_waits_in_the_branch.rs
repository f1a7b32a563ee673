        let mut turn = None;
        if self.locked() || self.waiters.any_live() {
            let place = self.waiters.join(self.bound.create_future()?);
            turn.insert(Turn { lock: self, place }).place.wait().await?;
        }
        self.locked.set(true);
        drop(turn);
        Ok(())
