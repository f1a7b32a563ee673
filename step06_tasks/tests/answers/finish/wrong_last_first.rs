        if self.state().outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        *self.state().outcome.borrow_mut() = Some(outcome);
        let mut callbacks: Vec<_> = self.state().callbacks.take().drain().collect();
        while let Some(callback) = callbacks.pop() {
            self.schedule_one(callback);
        }
        Ok(())
