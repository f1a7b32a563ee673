        if key.interest.is_empty() {
            return Err(no_direction());
        }
        let token = self.registry.next_token(&fd)?;
        if let Err(error) = self.epoll.add(&fd, token, key.interest, key.trigger) {
            if error.kind() != io::ErrorKind::AlreadyExists {
                return Err(error);
            }
            self.epoll.delete(&fd)?;
            self.epoll.add(&fd, token, key.interest, key.trigger)?;
        }
        self.registry.insert(&fd, key);
        Ok(())
