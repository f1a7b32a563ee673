        let semaphore = self.semaphore;
        self.place.leave();
        let is_back = !self.has_its_permit && self.place.was_woken();
        let mut free = semaphore.value.take() + usize::from(is_back);
        while free > 0 && semaphore.waiters.wake_next() {
            free -= 1;
        }
        semaphore.value.set(semaphore.value() + free);
