        if self.state().outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        let is_cancelled = matches!(outcome, Err(Error::Cancelled(_)));
        *self.state().outcome.borrow_mut() = Some(outcome);
        for callback in self.state().callbacks.take().drain() {
            if !is_cancelled || !matches!(callback, Callback::Call(_)) {
                self.schedule_one(callback);
            }
        }
        Ok(())
