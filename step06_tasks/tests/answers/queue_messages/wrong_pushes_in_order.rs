        for message in messages.drain(..) {
            match message {
                Message::Call(callback) => self.push(Handle::once(callback)),
                Message::Wake(waker) => {
                    waker.has_arrived();
                    self.wake_task(waker.task());
                }
            }
        }
        self.shared.messages.replace(messages);
