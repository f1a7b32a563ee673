        if key.interest.is_empty() {
            return Err(no_direction());
        }
        let token = self.registry.next_token(&fd)?;
        let mut added = self.epoll.add(&fd, token, key.interest, key.trigger);
        if added.is_err() {
            let _ = self.epoll.delete(&fd);
            added = added.or_else(|_| self.epoll.add(&fd, token, key.interest, key.trigger));
        }
        added?;
        self.registry.insert(&fd, key);
        Ok(())
