        let (queue, task) = (&self.queue, self.task());
        if !current_queue::wake_task(queue.id(), task) && !self.is_sent.fetch_or(true, Ordering::AcqRel) {
            queue.send(Message::Wake(Arc::clone(self)));
        }
