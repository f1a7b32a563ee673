        for message in messages.drain(..) {
            match message {
                Message::Call(callback) => {
                    self.push_last(Runnable::Callback(Handle::once(callback)));
                }
                Message::Wake(waker) => {
                    waker.has_arrived();
                    self.push_step(waker.task());
                }
            }
        }
        messages.shrink_to(1024);
        self.shared.messages.replace(messages);
