        let (token, key) = self.registry.find(&fd)?;
        if interest != key.interest {
            self.epoll.modify(&fd, token, interest, key.trigger)?;
        }
        let before = key.clone();
        drop(data);
        key.interest = interest;
        Ok(before)
