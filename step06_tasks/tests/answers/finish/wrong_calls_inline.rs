        if self.state().outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        *self.state().outcome.borrow_mut() = Some(outcome);
        for callback in self.state().callbacks.take().drain() {
            match callback {
                Callback::Call(callback) => callback.into_handle(self).run(),
                other => self.schedule_one(other),
            }
        }
        Ok(())
