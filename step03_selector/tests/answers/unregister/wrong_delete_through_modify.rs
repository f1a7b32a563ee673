        let token = self.registry.find(&fd)?.0;
        let key = self.registry.remove(&fd)?;
        // Only an entry of this registration is ours to delete.
        if self.epoll.modify(&fd, token, Interest::NONE, key.trigger).is_ok() {
            let _ = self.epoll.delete(&fd);
        }
        Ok(key)
