        // expect: register N as Bob:              AlreadyExists
        self.registry.remove(&fd)
