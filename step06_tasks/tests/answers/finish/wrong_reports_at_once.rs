        if self.state().outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        if let Err(error) = &outcome
            && !error.is_cancelled()
        {
            self.state().queue.report(&format!("Future exception was never retrieved: {error}"));
        }
        self.state().outcome.replace(Some(outcome));
        self.schedule(self.state().callbacks.take());
        Ok(())
