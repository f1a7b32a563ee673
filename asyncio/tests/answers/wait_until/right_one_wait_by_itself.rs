        let one_wait = async || {
            self.check_not_shut_down()?;
            let place = waiters.join(self.bound.create_future()?);
            let mut turn = Turn { waiters, place, can_go_on: &can_go_on, is_over: false };
            let outcome = turn.place.wait().await;
            if outcome.is_ok() {
                turn.is_over = true;
            }
            outcome
        };
        while !can_go_on() {
            one_wait().await?;
        }
        Ok(())
