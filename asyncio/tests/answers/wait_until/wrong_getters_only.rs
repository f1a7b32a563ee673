// hangs
        while !can_go_on() {
            self.check_not_shut_down()?;
            let place = self.getters.join(self.bound.create_future()?);
            let mut turn = Turn { waiters: &self.getters, place, can_go_on: &can_go_on, is_over: false };
            turn.place.wait().await?;
            turn.is_over = true;
        }
        Ok(())
