        if self.state().outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        let returned = match &outcome {
            Ok(_) => Ok(()),
            Err(error) => Err(error.clone()),
        };
        self.state().outcome.replace(Some(outcome));
        self.schedule(self.state().callbacks.take());
        returned
