        if self.state().outcome.borrow().is_some() {
            return outcome.map(|_| ());
        }
        self.state().outcome.replace(Some(outcome));
        self.schedule(self.state().callbacks.take());
        Ok(())
