        check_cancelled()?;
        let outcome = self.state().outcome.borrow().clone();
        match outcome {
            Some(result) => {
                self.state().retrieved.set(true);
                self.wait = None;
                Poll::Ready(result)
            }
            None => {
                let new = self.callback_for(context.waker());
                let id = match self.wait.take() {
                    Some(Wait { callback, .. }) => self.replace_callback(callback, new),
                    None => self.state().callbacks.borrow_mut().add(new),
                };
                self.begin_wait(id);
                Poll::Pending
            }
        }
