        if self.state().outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        *self.state().outcome.borrow_mut() = Some(outcome);
        let mut callbacks = self.state().callbacks.take();
        callbacks.reverse();
        self.schedule(callbacks);
        Ok(())
