        for message in messages.drain(..) {
            match message {
                Message::Call(callback) => {
                    self.push_last(Runnable::Callback(Handle::once(callback)));
                }
                Message::Wake(waker) => {
                    waker.has_arrived();
                    let id = waker.task();
                    let queue = self.clone();
                    self.push_last(Runnable::Callback(Handle::once(move || queue.push_step(id))));
                }
            }
        }
        self.shared.messages.replace(messages);
