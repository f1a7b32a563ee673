        // expect: register it again:     AlreadyExists
        self.registry.remove(&fd)
