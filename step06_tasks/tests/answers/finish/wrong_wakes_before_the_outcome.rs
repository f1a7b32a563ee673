        if self.outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        self.schedule(self.callbacks.take());
        self.outcome.replace(Some(outcome));
        Ok(())
