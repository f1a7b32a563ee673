        let here = super::remote::QueueId::new();
        if current_queue::wake_task(here, self.task()) {
            return;
        }
        if !self.is_sent.swap(true, Ordering::AcqRel) {
            self.queue.send(Message::Wake(Arc::clone(self)));
        }
