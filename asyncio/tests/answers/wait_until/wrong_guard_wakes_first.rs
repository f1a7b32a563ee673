        struct Mine<'a, F: Fn() -> bool>(Place<'a>, &'a Waiters, F, bool);
        impl<F: Fn() -> bool> Drop for Mine<'_, F> {
            fn drop(&mut self) {
                self.0.leave();
                if !self.3 && self.0.was_woken() && (self.2)() {
                    self.1.wake_first();
                }
            }
        }
        while !can_go_on() {
            self.check_not_shut_down()?;
            let place = waiters.join(self.bound.create_future()?);
            let mut mine = Mine(place, waiters, &can_go_on, false);
            mine.0.wait().await?;
            mine.3 = true;
        }
        Ok(())
