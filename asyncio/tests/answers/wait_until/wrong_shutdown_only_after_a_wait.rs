        while !can_go_on() {
            let place = waiters.join(self.bound.create_future()?);
            let mut turn = Turn { waiters, place, can_go_on: &can_go_on, is_over: false };
            turn.place.wait().await?;
            turn.is_over = true;
            self.check_not_shut_down()?;
        }
        Ok(())
