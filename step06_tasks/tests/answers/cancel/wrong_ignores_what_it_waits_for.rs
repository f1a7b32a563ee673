        if self.done.get() {
            return false;
        }
        self.requests.set(self.requests.get() + 1);
        self.tell_at_next_resume();
        true
