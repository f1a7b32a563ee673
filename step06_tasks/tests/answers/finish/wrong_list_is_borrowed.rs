        if self.state().outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        self.state().outcome.replace(Some(outcome));
        let mut list = self.state().callbacks.borrow_mut();
        let waiting = std::mem::take(&mut *list);
        self.schedule(waiting);
        drop(list);
        Ok(())
