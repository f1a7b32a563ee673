        if self.state().outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        let is_cancelled = matches!(outcome, Err(Error::Cancelled(_)));
        *self.state().outcome.borrow_mut() = Some(outcome);
        let mut callbacks = self.state().callbacks.take();
        callbacks.retain(|callback| !is_cancelled || matches!(callback, Callback::Wake(_)));
        self.schedule(callbacks);
        Ok(())
