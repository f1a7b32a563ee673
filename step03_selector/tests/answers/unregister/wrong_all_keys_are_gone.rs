        let key = self.registry.remove(&fd)?;
        let _ = self.epoll.delete(&fd);
        self.registry = Registry::new();
        Ok(key)
