        let mut slot = self.state().outcome.borrow_mut();
        if slot.is_none() {
            *slot = Some(outcome);
            drop(slot);
            let waiting = std::mem::take(&mut *self.state().callbacks.borrow_mut());
            self.schedule(waiting);
            Ok(())
        } else {
            Err(Error::InvalidState("the future is done already"))
        }
