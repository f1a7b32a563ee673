        check_cancelled()?;
        let callback = self.callback_for(context.waker());
        let id = match &self.wait {
            None => self.state().callbacks.borrow_mut().add(callback),
            Some(wait) => self.replace_callback(wait.callback, callback),
        };
        if self.done() {
            return Poll::Ready(self.result());
        }
        self.begin_wait(id);
        Poll::Pending
