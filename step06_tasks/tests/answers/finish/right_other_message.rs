        let is_done = self.outcome.borrow().is_some();
        if is_done {
            return Err(Error::InvalidState("the result is already set"));
        }
        self.outcome.replace(Some(outcome));
        self.schedule(self.callbacks.take());
        Ok(())
