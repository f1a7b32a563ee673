        if key.interest.is_empty() {
            return Err(no_direction());
        }
        if self.registry.remove(&fd).is_ok() {
            let _ = self.epoll.delete(&fd);
        }
        let token = self.registry.next_token(&fd)?;
        self.epoll.add(&fd, token, key.interest, key.trigger)?;
        self.registry.insert(&fd, key);
        Ok(())
