        while !can_go_on() {
            self.check_not_shut_down()?;
            let mut place = waiters.join(self.bound.create_future()?);
            place.wait().await?;
        }
        Ok(())
