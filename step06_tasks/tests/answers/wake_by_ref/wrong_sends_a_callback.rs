        if current_queue::wake_task(self.queue.id(), self.task()) {
            return;
        }
        let waker = Arc::clone(self);
        self.queue.call_soon_threadsafe(move || waker.wake());
