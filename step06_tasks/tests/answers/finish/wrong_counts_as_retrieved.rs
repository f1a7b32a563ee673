        if self.state().outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        self.state().retrieved.set(true);
        *self.state().outcome.borrow_mut() = Some(outcome);
        self.schedule(self.state().callbacks.take());
        Ok(())
