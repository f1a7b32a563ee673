        if key.interest.is_empty() {
            return Err(no_direction());
        }
        let token = self.registry.next_token(&fd)?;
        if let Err(error) = self.epoll.add(&fd, token, key.interest, key.trigger) {
            return Err(error.kind().into());
        }
        self.registry.insert(&fd, key);
        Ok(())
