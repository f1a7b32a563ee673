        let is_here = current_queue::is_entered(self.queue.id());
        if is_here {
            current_queue::wake_task(self.queue.id(), self.task());
            self.is_sent.swap(true, Ordering::AcqRel);
        } else if !self.is_sent.swap(true, Ordering::AcqRel) {
            self.queue.send(Message::Wake(Arc::clone(self)));
        }
