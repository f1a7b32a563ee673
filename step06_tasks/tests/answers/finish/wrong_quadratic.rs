        if self.state().outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        *self.state().outcome.borrow_mut() = Some(outcome);
        let mut callbacks: Vec<_> = self.state().callbacks.take().drain().collect();
        while !callbacks.is_empty() {
            let callback = callbacks.remove(0);
            self.schedule_one(callback);
        }
        Ok(())
