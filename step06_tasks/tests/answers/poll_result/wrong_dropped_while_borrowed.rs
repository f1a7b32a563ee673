// expect: already borrowed
        check_cancelled()?;
        if self.done() {
            self.wait = None;
            return Poll::Ready(self.result());
        }
        let callback = self.callback_for(context.waker());
        let id = match &self.wait {
            None => self.state().callbacks.borrow_mut().add(callback),
            Some(wait) => {
                let _ = self.state().callbacks.borrow_mut().replace(wait.callback, callback);
                wait.callback
            }
        };
        self.begin_wait(id);
        Poll::Pending
