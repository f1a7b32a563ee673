        while !can_go_on() {
            self.check_not_shut_down()?;
            let place = waiters.join(crate::get_running_loop()?.create_future());
            let mut turn = Turn { waiters, place, can_go_on: &can_go_on, is_over: false };
            turn.place.wait().await?;
            turn.is_over = true;
        }
        Ok(())
