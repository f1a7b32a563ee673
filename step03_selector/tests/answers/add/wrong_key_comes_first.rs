        // expect: a regular file:  PermissionDenied
        if key.interest.is_empty() {
            let message = "register: there is no direction to wait for";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let token = self.registry.next_token(&fd)?;
        let (interest, trigger) = (key.interest, key.trigger);
        self.registry.insert(&fd, key);
        self.epoll.add(&fd, token, interest, trigger)
