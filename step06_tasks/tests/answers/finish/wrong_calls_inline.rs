        if self.outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        *self.outcome.borrow_mut() = Some(outcome);
        for callback in self.callbacks.take() {
            match callback {
                Callback::Wake(waker) => waker.wake(),
                Callback::Call(callback) => callback(&Future { core: Rc::clone(self), wait: None }),
            }
        }
        Ok(())
