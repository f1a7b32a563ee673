        for message in messages.drain(..) {
            match message {
                Message::Call(callback) => {
                    self.push_last(Runnable::Callback(Handle::once(callback)));
                }
                Message::Wake(waker) => {
                    waker.has_arrived();
                    self.push_step(waker.task());
                    let last = self.shared.ready.borrow_mut().pop_back();
                    if let Some(Runnable::Step(task)) = last {
                        task.step();
                    }
                }
            }
        }
        self.shared.messages.replace(messages);
