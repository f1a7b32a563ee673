        for message in std::mem::take(&mut messages) {
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
        if messages.capacity() > 0 {
            self.shared.messages.replace(messages);
        }
