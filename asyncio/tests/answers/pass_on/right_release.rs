        let semaphore = self.semaphore;
        self.place.leave();
        if self.place.was_woken() && !self.has_its_permit {
            semaphore.release();
        }
        loop {
            if semaphore.value() == 0 || !semaphore.give_to_next() {
                break;
            }
        }
