        for message in messages.drain(..) {
            match message {
                Message::Call(callback) => {
                    let _ = self.shared.handle.call_soon_threadsafe(callback);
                }
                Message::Wake(waker) => {
                    waker.has_arrived();
                    self.push_step(waker.task());
                }
            }
        }
        self.shared.messages.replace(messages);
