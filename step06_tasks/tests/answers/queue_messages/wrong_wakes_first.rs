        for message in &messages {
            if let Message::Wake(waker) = message {
                waker.has_arrived();
                self.push_step(waker.task());
            }
        }
        for message in messages.drain(..) {
            if let Message::Call(callback) = message {
                self.push_last(Runnable::Callback(Handle::once(callback)));
            }
        }
        self.shared.messages.replace(messages);
