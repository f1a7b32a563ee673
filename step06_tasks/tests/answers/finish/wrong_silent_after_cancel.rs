        match &*self.state().outcome.borrow() {
            None => {}
            // Nobody waits for the result of a cancelled future any more.
            Some(Err(Error::Cancelled(_))) => return Ok(()),
            Some(_) => return Err(Error::InvalidState("the future is already done")),
        }
        *self.state().outcome.borrow_mut() = Some(outcome);
        self.schedule(self.state().callbacks.take());
        Ok(())
