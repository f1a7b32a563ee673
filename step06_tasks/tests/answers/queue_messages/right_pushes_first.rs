        for message in messages.drain(..) {
            match message {
                Message::Wake(waker) => {
                    let task = waker.task();
                    self.push_step(task);
                    waker.has_arrived();
                }
                Message::Call(callback) => {
                    let handle = Handle::once(callback);
                    self.push_last(Runnable::Callback(handle));
                }
            }
        }
        *self.shared.messages.borrow_mut() = messages;
