        current_queue::wake_task(self.queue.id(), self.task());
