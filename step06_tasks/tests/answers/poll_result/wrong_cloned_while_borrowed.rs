// expect: already borrowed
        check_cancelled()?;
        if self.done() {
            self.wait = None;
            return Poll::Ready(self.result());
        }
        let id = match &self.wait {
            None => self.state().callbacks.borrow_mut().add(self.callback_for(context.waker())),
            Some(wait) => self.replace_callback(wait.callback, self.callback_for(context.waker())),
        };
        self.begin_wait(id);
        Poll::Pending
