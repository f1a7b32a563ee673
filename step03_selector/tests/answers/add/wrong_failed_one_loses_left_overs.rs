        if key.interest.is_empty() {
            return Err(no_direction());
        }
        let token = self.registry.next_token(&fd)?;
        if let Err(error) = self.epoll.add(&fd, token, key.interest, key.trigger) {
            let _ = self.epoll.delete(&fd);
            return Err(error);
        }
        self.registry.insert(&fd, key);
        Ok(())
