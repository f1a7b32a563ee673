        check_cancelled()?;
        if let Ok(result) = self.result() {
            return Poll::Ready(Ok(result));
        }
        let callback = self.callback_for(context.waker());
        let id = match &self.wait {
            None => self.state().callbacks.borrow_mut().add(callback),
            Some(wait) => self.replace_callback(wait.callback, callback),
        };
        self.begin_wait(id);
        Poll::Pending
