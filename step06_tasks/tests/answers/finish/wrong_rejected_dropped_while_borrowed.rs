        let mut slot = self.outcome.borrow_mut();
        if let Some(first) = slot.replace(outcome) {
            *slot = Some(first);
            return Err(Error::InvalidState("the future is done already"));
        }
        drop(slot);
        let callbacks = self.callbacks.take();
        self.schedule(callbacks);
        Ok(())
