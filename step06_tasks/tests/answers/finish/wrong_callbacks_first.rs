        if self.state().outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        *self.state().outcome.borrow_mut() = Some(outcome);
        let (calls, wakers): (Vec<_>, Vec<_>) = self
            .callbacks
            .take()
            .into_iter()
            .partition(|callback| matches!(callback, Callback::Call(_)));
        self.schedule(calls);
        self.schedule(wakers);
        Ok(())
