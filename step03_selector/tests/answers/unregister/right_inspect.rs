        // An error of epoll's means that the kernel has dropped the closed descriptor by itself.
        self.registry.remove(&fd).inspect(|_| drop(self.epoll.delete(&fd)))
