        for message in messages.drain(..) {
            match message {
                Message::Call(callback) => {
                    let handle = Handle::once(callback);
                    self.shared.ready.borrow_mut().push_front(Runnable::Callback(handle));
                }
                Message::Wake(waker) => {
                    waker.has_arrived();
                    self.push_step(waker.task());
                }
            }
        }
        self.shared.messages.replace(messages);
