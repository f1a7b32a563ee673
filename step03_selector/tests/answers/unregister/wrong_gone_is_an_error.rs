        // expect: unregister N:                 NotFound
        let key = self.registry.remove(&fd)?;
        self.epoll.delete(&fd)?;
        Ok(key)
