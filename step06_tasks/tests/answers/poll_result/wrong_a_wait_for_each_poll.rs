        check_cancelled()?;
        if self.done() {
            self.wait = None;
            return Poll::Ready(self.result());
        }
        let callback = self.callback_for(context.waker());
        let id = self.state().callbacks.borrow_mut().add(callback);
        self.begin_wait(id);
        Poll::Pending
