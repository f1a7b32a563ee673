        if self.done.get() {
            return false;
        }
        self.requests.set(self.requests.get() + 1);
        self.done.set(true);
        true
