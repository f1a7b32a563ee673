        if self.outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        self.retrieved.set(true);
        *self.outcome.borrow_mut() = Some(outcome);
        let callbacks = self.callbacks.take();
        self.schedule(callbacks);
        Ok(())
