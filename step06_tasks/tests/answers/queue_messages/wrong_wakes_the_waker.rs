        for message in messages.drain(..) {
            match message {
                Message::Call(callback) => {
                    self.push_last(Runnable::Callback(Handle::once(callback)));
                }
                Message::Wake(waker) => {
                    waker.has_arrived();
                    std::task::Wake::wake(waker);
                }
            }
        }
        self.shared.messages.replace(messages);
