        if matches!(&*self.outcome.borrow(), Some(result) if !matches!(result, Err(Error::Cancelled))) {
            return Err(Error::InvalidState("the future is done already"));
        }
        *self.outcome.borrow_mut() = Some(outcome);
        let callbacks = self.callbacks.take();
        self.schedule(callbacks);
        Ok(())
