        let key = self.registry.remove(&fd)?;
        self.epoll = Epoll::new()?;
        Ok(key)
