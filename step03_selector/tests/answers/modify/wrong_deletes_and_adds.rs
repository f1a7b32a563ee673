        let (token, key) = self.registry.find(&fd)?;
        if interest != key.interest {
            self.epoll.delete(&fd)?;
            self.epoll.add(&fd, token, interest, key.trigger)?;
        }
        let changed = SelectorKey { interest, trigger: key.trigger, data };
        Ok(std::mem::replace(key, changed))
