        if current_queue::wake_task(self.queue.id(), self.task()) {
            return;
        }
        if !self.is_sent.swap(true, Ordering::AcqRel) {
            self.queue.send(Message::Wake(Arc::clone(self)));
            self.is_sent.store(false, Ordering::Release);
        }
