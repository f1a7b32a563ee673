        let is_done = self.state().outcome.borrow().is_some();
        if is_done {
            return Err(Error::InvalidState("the result is already set"));
        }
        self.state().outcome.replace(Some(outcome));
        self.schedule(self.state().callbacks.take());
        Ok(())
