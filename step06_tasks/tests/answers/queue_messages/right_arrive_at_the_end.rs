        let mut woken = Vec::new();
        for message in messages.drain(..) {
            match message {
                Message::Call(callback) => {
                    self.push_last(Runnable::Callback(Handle::once(callback)));
                }
                Message::Wake(waker) => {
                    self.push_step(waker.task());
                    woken.push(waker);
                }
            }
        }
        for waker in woken {
            waker.has_arrived();
        }
        self.shared.messages.replace(messages);
