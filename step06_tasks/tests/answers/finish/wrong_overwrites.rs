        let before = self.state().outcome.replace(Some(outcome));
        if before.is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        self.schedule(self.state().callbacks.take());
        Ok(())
