        let mut slot = self.state().outcome.borrow_mut();
        if let Some(first) = slot.replace(outcome) {
            *slot = Some(first);
            return Err(Error::InvalidState("the future is done already"));
        }
        drop(slot);
        let callbacks = self.state().callbacks.take();
        self.schedule(callbacks);
        Ok(())
