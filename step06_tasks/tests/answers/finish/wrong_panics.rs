        if self.state().outcome.borrow().is_some() {
            panic!("the future is done already");
        }
        self.state().outcome.replace(Some(outcome));
        self.schedule(self.state().callbacks.take());
        Ok(())
