        let (calls, wakes): (Vec<_>, Vec<_>) =
            messages.drain(..).partition(|message| matches!(message, Message::Call(_)));
        for message in calls.into_iter().chain(wakes) {
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
        self.shared.messages.replace(messages);
