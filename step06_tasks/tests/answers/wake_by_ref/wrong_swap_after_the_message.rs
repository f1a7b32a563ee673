        if current_queue::wake_task(self.queue.id(), self.task()) {
            return;
        }
        let is_sent = self.is_sent.load(Ordering::Acquire);
        if !is_sent {
            self.queue.send(Message::Wake(Arc::clone(self)));
        }
        self.is_sent.swap(true, Ordering::AcqRel);
