        if self.state().outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        self.schedule(self.state().callbacks.take());
        self.state().outcome.replace(Some(outcome));
        Ok(())
