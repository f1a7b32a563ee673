        let is_queued = current_queue::wake_task(self.queue.id(), self.task());
        if !is_queued {
            let was_sent = self.is_sent.swap(true, Ordering::SeqCst);
            if !was_sent {
                self.queue.send(Message::Wake(self.clone()));
            }
        }
