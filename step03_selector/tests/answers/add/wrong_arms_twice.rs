        if key.interest.is_empty() {
            return Err(no_direction());
        }
        let token = self.registry.next_token(&fd)?;
        self.epoll.add(&fd, token, Interest::NONE, key.trigger)?;
        self.epoll.modify(&fd, token, key.interest, key.trigger)?;
        self.registry.insert(&fd, key);
        Ok(())
