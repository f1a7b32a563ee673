        loop {
            if can_go_on() {
                return Ok(());
            }
            self.check_not_shut_down()?;
            let woken = self.bound.create_future()?;
            let can_go_on = &can_go_on;
            let mut turn = Turn { waiters, place: waiters.join(woken), can_go_on, is_over: false };
            let outcome = turn.place.wait().await;
            turn.is_over = outcome.is_ok();
            outcome?;
        }
