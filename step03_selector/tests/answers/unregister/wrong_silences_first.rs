        let token = self.registry.find(&fd)?.0;
        let key = self.registry.remove(&fd)?;
        if self.epoll.delete(&fd).is_err() {
            let _ = self.epoll.modify(&fd, token, Interest::NONE, key.trigger);
        }
        Ok(key)
