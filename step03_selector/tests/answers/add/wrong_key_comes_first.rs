        // expect: a regular file:  PermissionDenied
        if key.interest.is_empty() {
            return Err(no_direction());
        }
        let token = self.registry.next_token(&fd)?;
        let (interest, trigger) = (key.interest, key.trigger);
        self.registry.insert(&fd, key);
        self.epoll.add(&fd, token, interest, trigger)
