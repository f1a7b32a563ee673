        check_cancelled()?;
        if self.done() {
            self.wait = None;
            return Poll::Ready(self.result());
        }
        let callback = self.callback_for(context.waker());
        let id = match &self.wait {
            None => {
                let mut callbacks = self.state().callbacks.borrow_mut();
                let id = callbacks.add(Callback::Waker(Waker::noop().clone()));
                callbacks.add(callback);
                id
            }
            Some(wait) => self.replace_callback(wait.callback, callback),
        };
        self.begin_wait(id);
        Poll::Pending
