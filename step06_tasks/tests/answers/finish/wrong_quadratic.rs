        if self.state().outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        *self.state().outcome.borrow_mut() = Some(outcome);
        while !self.state().callbacks.borrow().is_empty() {
            let callback = self.state().callbacks.borrow_mut().remove(0);
            self.schedule(vec![callback]);
        }
        Ok(())
