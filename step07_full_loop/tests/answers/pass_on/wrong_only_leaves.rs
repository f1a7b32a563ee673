// hangs
        self.place.leave();
