        if self.state().outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        *self.state().outcome.borrow_mut() = Some(outcome);
        let callbacks = self.state().callbacks.take();
        self.schedule(callbacks.into_iter().take(1).collect());
        Ok(())
