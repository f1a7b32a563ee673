        if key.interest.is_empty() {
            return Err(no_direction());
        }
        let token = self.registry.next_token(&fd)?;
        let both = Interest::READABLE | Interest::WRITABLE;
        self.epoll.add(&fd, token, both, key.trigger)?;
        self.registry.insert(&fd, key);
        Ok(())
