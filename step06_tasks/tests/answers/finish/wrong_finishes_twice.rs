        *self.state().outcome.borrow_mut() = Some(outcome);
        let callbacks = self.state().callbacks.take();
        self.schedule(callbacks);
        Ok(())
