        let deleted = self.epoll.delete(&fd);
        if deleted.is_err() && self.registry.get(&fd).is_some() {
            return self.registry.find(&fd).map(|(_, key)| key.clone());
        }
        self.registry.remove(&fd)
