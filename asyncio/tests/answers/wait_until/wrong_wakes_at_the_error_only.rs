        while !can_go_on() {
            self.check_not_shut_down()?;
            let mut place = waiters.join(self.bound.create_future()?);
            if let Err(error) = place.wait().await {
                place.leave();
                if place.was_woken() && can_go_on() {
                    waiters.wake_next();
                }
                return Err(error);
            }
        }
        Ok(())
