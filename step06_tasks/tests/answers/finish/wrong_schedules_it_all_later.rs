        if self.state().outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        self.state().outcome.replace(Some(outcome));
        let (future, callbacks) = (self.clone(), self.state().callbacks.take());
        self.state().queue.call_soon(move || future.schedule(callbacks));
        Ok(())
