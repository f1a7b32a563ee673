        // expect: its key:                      Bob (READABLE)
        self.epoll.delete(&fd)?;
        self.registry.remove(&fd)
