        if self.registry.get(&fd).is_some()
            && let Err(error) = self.epoll.delete(&fd)
            && !already_gone(&error)
        {
            return Err(error);
        }
        self.registry.remove(&fd)
