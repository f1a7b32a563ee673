        check_cancelled()?;
        if self.done() {
            self.wait = None;
            let outcome = self.state().outcome.borrow().clone();
            return outcome.map_or(Poll::Pending, Poll::Ready);
        }
        let callback = self.callback_for(context.waker());
        let id = match &self.wait {
            None => self.state().callbacks.borrow_mut().add(callback),
            Some(wait) => self.replace_callback(wait.callback, callback),
        };
        self.begin_wait(id);
        Poll::Pending
