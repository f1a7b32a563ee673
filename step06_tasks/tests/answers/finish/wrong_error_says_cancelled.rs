        if self.outcome.borrow().is_some() {
            return Err(Error::Cancelled);
        }
        *self.outcome.borrow_mut() = Some(outcome);
        let callbacks = self.callbacks.take();
        self.schedule(callbacks);
        Ok(())
