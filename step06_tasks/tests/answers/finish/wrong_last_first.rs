        if self.outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        *self.outcome.borrow_mut() = Some(outcome);
        let mut callbacks = self.callbacks.take();
        callbacks.reverse();
        self.schedule(callbacks);
        Ok(())
