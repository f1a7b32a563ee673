        for message in messages.drain(..) {
            match message {
                Message::Call(callback) => {
                    let handle = Handle::once(callback);
                    handle.cancel();
                    self.push_last(Runnable::Callback(handle));
                }
                Message::Wake(waker) => {
                    waker.has_arrived();
                    self.push_step(waker.task());
                }
            }
        }
        self.shared.messages.replace(messages);
