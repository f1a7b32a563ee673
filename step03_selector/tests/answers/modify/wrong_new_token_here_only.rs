        let (token, key) = self.registry.find(&fd)?;
        let before = key.clone();
        if interest != key.interest {
            self.epoll.modify(&fd, token, interest, key.trigger)?;
        }
        self.registry.insert(&fd, SelectorKey { interest, trigger: before.trigger, data });
        Ok(before)
