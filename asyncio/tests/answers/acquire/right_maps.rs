        match (self.locked(), self.waiters.any_live()) {
            (false, false) => {}
            _ => {
                let mut turn = Turn { lock: self, place: self.waiters.join(self.bound.create_future()?) };
                return turn.place.wait().await.map(|()| self.locked.set(true));
            }
        }
        self.locked.set(true);
        Ok(())
