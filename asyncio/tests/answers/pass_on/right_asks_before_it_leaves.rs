        let is_unused = self.place.was_woken() && !self.has_its_permit;
        self.place.leave();
        if is_unused {
            self.semaphore.value.update(|value| value + 1);
        }
        while self.semaphore.value() >= 1 {
            if !self.semaphore.give_to_next() {
                return;
            }
        }
