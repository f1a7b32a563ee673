        let fd = fd.as_fd();
        let SelectorKey { interest, trigger, .. } = key;
        match self.registry.next_token(fd) {
            Ok(_) if interest.is_empty() => Err(no_direction()),
            Ok(token) => {
                let added = self.epoll.add(fd, token, interest, trigger);
                added.map(|()| self.registry.insert(fd, key))
            }
            Err(error) => Err(error),
        }
