        if self.done() {
            return Err(Error::InvalidState("the future is done already"));
        }
        let state = self.state();
        state.outcome.replace(Some(outcome));
        let callbacks = state.callbacks.take();
        self.schedule(callbacks);
        Ok(())
