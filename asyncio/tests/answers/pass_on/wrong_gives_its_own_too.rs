        let semaphore = self.semaphore;
        self.place.leave();
        if self.place.was_woken() {
            semaphore.value.set(semaphore.value() + 1);
        }
        while semaphore.value() > 0 && semaphore.give_to_next() {}
