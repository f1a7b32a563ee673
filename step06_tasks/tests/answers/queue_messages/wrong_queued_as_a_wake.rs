        for message in messages.drain(..) {
            match message {
                Message::Call(callback) => {
                    self.push_last(Runnable::Callback(Handle::once(callback)));
                }
                Message::Wake(waker) => {
                    waker.has_arrived();
                    self.push_last(Runnable::Wake(crate::LocalWaker::of(&std::task::Context::from_waker(&waker.into()))));
                }
            }
        }
        self.shared.messages.replace(messages);
