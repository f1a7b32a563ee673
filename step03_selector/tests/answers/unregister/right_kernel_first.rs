        if self.registry.get(&fd).is_some() {
            self.epoll.delete(&fd).ok();
        }
        self.registry.remove(&fd)
