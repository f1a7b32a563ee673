        if key.interest.is_empty() {
            return Err(no_direction());
        }
        let (interest, trigger) = (key.interest, key.trigger);
        let token = self.registry.next_token(&fd)?;
        self.registry.insert(&fd, key);
        self.epoll.add(&fd, token, interest, trigger)
