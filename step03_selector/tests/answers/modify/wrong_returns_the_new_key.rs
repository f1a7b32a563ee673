        let (token, key) = self.registry.find(&fd)?;
        if interest != key.interest {
            self.epoll.modify(&fd, token, interest, key.trigger)?;
        }
        *key = SelectorKey { interest, trigger: key.trigger, data };
        Ok(key.clone())
