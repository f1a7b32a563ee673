        if key.interest.is_empty() {
            return Err(no_direction());
        }
        let token = self.registry.next_token(&fd)?;
        match self.epoll.add(&fd, token, key.interest, key.trigger) {
            // There's no key for it, so this is left over from an earlier registration.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                self.epoll.modify(&fd, token, key.interest, key.trigger)?;
            }
            added => added?,
        }
        self.registry.insert(&fd, key);
        Ok(())
