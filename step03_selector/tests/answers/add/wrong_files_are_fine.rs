        if key.interest.is_empty() {
            return Err(no_direction());
        }
        let token = self.registry.next_token(&fd)?;
        match self.epoll.add(&fd, token, key.interest, key.trigger) {
            Err(error) if error.kind() != io::ErrorKind::PermissionDenied => return Err(error),
            _ => self.registry.insert(&fd, key),
        }
        Ok(())
