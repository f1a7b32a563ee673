        if let Err(cancelled) = check_cancelled() {
            return Poll::Ready(Err(cancelled));
        }
        if self.done() {
            self.wait.take();
            Poll::Ready(self.result())
        } else {
            let callback = self.callback_for(context.waker());
            let id = if let Some(wait) = &self.wait {
                self.replace_callback(wait.callback, callback)
            } else {
                self.shared.state().callbacks.borrow_mut().add(callback)
            };
            self.begin_wait(id);
            Poll::Pending
        }
