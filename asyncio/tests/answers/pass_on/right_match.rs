        self.place.leave();
        match (self.place.was_woken(), self.has_its_permit) {
            (true, false) => self.semaphore.value.set(self.semaphore.value.get() + 1),
            (true, true) | (false, _) => {}
        }
        let mut goes_on = true;
        while goes_on {
            goes_on = self.semaphore.value.get() != 0 && self.semaphore.give_to_next();
        }
