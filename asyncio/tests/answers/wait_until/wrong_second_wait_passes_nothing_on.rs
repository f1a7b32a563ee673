        let mut was_woken_before = false;
        while !can_go_on() {
            self.check_not_shut_down()?;
            let place = waiters.join(self.bound.create_future()?);
            let is_over = was_woken_before;
            let mut turn = Turn { waiters, place, can_go_on: &can_go_on, is_over };
            turn.place.wait().await?;
            turn.is_over = true;
            was_woken_before = true;
        }
        Ok(())
