        if self.outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        *self.outcome.borrow_mut() = Some(outcome);
        while !self.callbacks.borrow().is_empty() {
            let callback = self.callbacks.borrow_mut().remove(0);
            self.schedule(vec![callback]);
        }
        Ok(())
