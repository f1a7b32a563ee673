        check_cancelled()?;
        let outcome = self.state().outcome.borrow().is_some();
        if outcome {
            return Poll::Ready(self.result());
        }
        let waiting = self.wait.as_ref().map(|wait| wait.callback);
        let callback = self.callback_for(context.waker());
        let id = waiting.map_or_else(
            || self.state().callbacks.borrow_mut().add(Callback::Waker(Waker::noop().clone())),
            |id| id,
        );
        self.replace_callback(id, callback);
        self.begin_wait(id);
        Poll::Pending
