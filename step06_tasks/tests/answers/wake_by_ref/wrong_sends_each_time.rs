        if !current_queue::wake_task(self.queue.id(), self.task()) {
            self.queue.send(Message::Wake(Arc::clone(self)));
        }
