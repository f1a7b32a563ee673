        let token = self.registry.next_token(&fd)?;
        let (interest, trigger) = (key.interest, key.trigger);
        if interest == Interest::NONE {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        self.registry.insert(&fd, key);
        let added = self.epoll.add(&fd, token, interest, trigger);
        if added.is_err() {
            self.registry.remove(&fd)?;
        }
        added
