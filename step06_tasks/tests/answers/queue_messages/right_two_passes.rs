        for message in &messages {
            if let Message::Wake(waker) = message {
                waker.has_arrived();
            }
        }
        for message in messages.drain(..) {
            match message {
                Message::Wake(waker) => self.push_step(waker.task()),
                Message::Call(callback) => {
                    self.shared.ready.borrow_mut().push_back(Runnable::Callback(Handle::once(callback)));
                }
            }
        }
        self.shared.messages.replace(messages);
