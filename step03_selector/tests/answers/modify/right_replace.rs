        let (token, key) = self.registry.find(&fd)?;
        let trigger = key.trigger;
        if interest != key.interest {
            self.epoll.modify(&fd, token, interest, trigger)?;
        }
        Ok(std::mem::replace(key, SelectorKey { interest, trigger, data }))
