        if self.state().outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        let outcome = match outcome {
            Err(error) if error.is_cancelled() => Err(Error::cancelled()),
            outcome => outcome,
        };
        self.state().outcome.replace(Some(outcome));
        self.schedule(self.state().callbacks.take());
        Ok(())
