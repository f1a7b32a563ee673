        if current_queue::wake_task(self.queue.id(), self.task() ^ 1) {
            return;
        }
        if !self.is_sent.swap(true, Ordering::AcqRel) {
            self.queue.send(Message::Wake(Arc::clone(self)));
        }
