        if self.state().outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        self.state().outcome.replace(Some(outcome));
        let waiting = self.state().callbacks.take();
        waiting.drain().take(2).for_each(|callback| self.schedule_one(callback));
        Ok(())
