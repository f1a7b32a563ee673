        let token = self.registry.next_token(&fd)?;
        self.epoll.add(&fd, token, key.interest, key.trigger)?;
        if key.interest.is_empty() {
            return Err(no_direction());
        }
        self.registry.insert(&fd, key);
        Ok(())
