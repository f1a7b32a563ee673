        if key.interest.is_empty() {
            return Err(no_direction());
        }
        let token = self.registry.next_token(&fd)?;
        self.epoll.add(&fd, token, key.interest, key.trigger)?;
        self.epoll.wait(&mut self.events, Some(Duration::ZERO))?;
        self.registry.insert(&fd, key);
        Ok(())
