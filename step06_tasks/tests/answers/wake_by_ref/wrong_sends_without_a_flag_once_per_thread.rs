        if current_queue::wake_task(self.queue.id(), self.task()) {
            return;
        }
        thread_local! {
            static SENT: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
        }
        if !SENT.replace(true) {
            self.queue.send(Message::Wake(Arc::clone(self)));
        }
