        if matches!(&*self.state().outcome.borrow(), Some(result) if !matches!(result, Err(Error::Cancelled(_)))) {
            return Err(Error::InvalidState("the future is done already"));
        }
        *self.state().outcome.borrow_mut() = Some(outcome);
        let callbacks = self.state().callbacks.take();
        self.schedule(callbacks);
        Ok(())
