        if key.interest.is_empty() {
            return Err(no_direction());
        }
        let token = self.registry.next_token(&fd)?;
        let added = self.epoll.add(&fd, token, key.interest, key.trigger);
        added.map_err(|_| io::Error::from(io::ErrorKind::PermissionDenied))?;
        self.registry.insert(&fd, key);
        Ok(())
