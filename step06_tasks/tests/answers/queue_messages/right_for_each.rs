        messages.drain(..).for_each(|message| match message {
            Message::Call(callback) => self.push_last(Runnable::Callback(Handle::once(callback))),
            Message::Wake(waker) => {
                waker.has_arrived();
                self.push_step(waker.task());
            }
        });
        drop(self.shared.messages.replace(messages));
