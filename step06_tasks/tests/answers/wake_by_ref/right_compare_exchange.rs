        if current_queue::wake_task(self.queue.id(), self.task()) {
            return;
        }
        // Release too if it fails: what was written before has to be seen in the step.
        let first = self.is_sent.compare_exchange(false, true, Ordering::AcqRel, Ordering::Acquire);
        if first.is_ok() {
            self.queue.send(Message::Wake(Arc::clone(self)));
        } else {
            fence(Ordering::SeqCst);
        }
