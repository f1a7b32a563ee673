        check_cancelled()?;
        if self.done() {
            self.wait = None;
            return Poll::Ready(self.result());
        }
        let callback = self.callback_for(context.waker());
        let others = self.state().callbacks.take();
        drop(others);
        self.wait = None;
        let id = match &self.wait {
            None => self.state().callbacks.borrow_mut().add(callback),
            Some(wait) => self.replace_callback(wait.callback, callback),
        };
        self.begin_wait(id);
        Poll::Pending
