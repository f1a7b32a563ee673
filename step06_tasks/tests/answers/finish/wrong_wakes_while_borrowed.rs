        let mut place = self.state().outcome.borrow_mut();
        if place.is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        for callback in self.state().callbacks.take().drain() {
            self.schedule_one(callback);
        }
        place.replace(outcome);
        Ok(())
