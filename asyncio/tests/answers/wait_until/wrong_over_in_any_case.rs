        while !can_go_on() {
            self.check_not_shut_down()?;
            let place = waiters.join(self.bound.create_future()?);
            let mut turn = Turn { waiters, place, can_go_on: &can_go_on, is_over: false };
            let outcome = turn.place.wait().await;
            turn.is_over = true;
            outcome?;
        }
        Ok(())
