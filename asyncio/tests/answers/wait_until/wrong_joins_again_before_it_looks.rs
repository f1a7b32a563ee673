        if can_go_on() {
            return Ok(());
        }
        self.check_not_shut_down()?;
        let place = waiters.join(self.bound.create_future()?);
        let mut turn = Turn { waiters, place, can_go_on: &can_go_on, is_over: false };
        loop {
            turn.place.wait().await?;
            if can_go_on() {
                turn.is_over = true;
                return Ok(());
            }
            self.check_not_shut_down()?;
            // The old turn may pass on what it has got.
            turn.place = waiters.join(self.bound.create_future()?);
            turn.is_over = true;
        }
