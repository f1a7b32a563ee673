        if self.state().outcome.borrow().is_some() {
            return Err(Error::InvalidState("the future is done already"));
        }
        *self.state().outcome.borrow_mut() = Some(outcome);
        for callback in self.state().callbacks.take() {
            match callback {
                Callback::Wake(waker) => waker.wake(),
                Callback::Call(callback) => callback(&Future { core: Rc::clone(self), wait: None }),
            }
        }
        Ok(())
