        self.bits != 0
