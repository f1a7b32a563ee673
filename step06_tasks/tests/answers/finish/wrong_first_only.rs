        if self.state().outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        *self.state().outcome.borrow_mut() = Some(outcome);
        if let Some(callback) = self.state().callbacks.take().drain().next() {
            self.schedule_one(callback);
        }
        Ok(())
