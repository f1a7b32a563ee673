        let deleted = self.epoll.delete(&fd);
        let removed = self.registry.remove(&fd);
        // Our own record decides: the kernel may have dropped a closed descriptor.
        drop(deleted);
        removed
