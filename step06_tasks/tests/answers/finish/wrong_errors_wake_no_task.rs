        if self.state().outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        let is_error = outcome.is_err();
        self.state().outcome.replace(Some(outcome));
        for callback in self.state().callbacks.take().drain() {
            if !is_error || matches!(callback, Callback::Call(_)) {
                self.schedule_one(callback);
            }
        }
        Ok(())
