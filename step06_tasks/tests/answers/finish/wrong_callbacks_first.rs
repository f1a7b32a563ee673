        if self.state().outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        *self.state().outcome.borrow_mut() = Some(outcome);
        let (calls, wakers): (Vec<_>, Vec<_>) = self
            .state()
            .callbacks
            .take()
            .drain()
            .partition(|callback| matches!(callback, Callback::Call(_)));
        calls.into_iter().chain(wakers).for_each(|callback| self.schedule_one(callback));
        Ok(())
