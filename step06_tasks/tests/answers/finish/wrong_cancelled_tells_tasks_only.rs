        if self.outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        let is_cancelled = matches!(outcome, Err(Error::Cancelled));
        *self.outcome.borrow_mut() = Some(outcome);
        let mut callbacks = self.callbacks.take();
        callbacks.retain(|callback| !is_cancelled || matches!(callback, Callback::Wake(_)));
        self.schedule(callbacks);
        Ok(())
