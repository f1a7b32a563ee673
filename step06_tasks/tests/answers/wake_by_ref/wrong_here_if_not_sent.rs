        if self.is_sent.load(Ordering::Acquire) {
            return;
        }
        if current_queue::wake_task(self.queue.id(), self.task()) {
            return;
        }
        self.is_sent.store(true, Ordering::Release);
        self.queue.send(Message::Wake(Arc::clone(self)));
