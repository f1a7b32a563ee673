        let (token, key) = self.registry.find(&fd)?;
        if interest != key.interest && self.epoll.modify(&fd, token, interest, key.trigger).is_err() {
            self.epoll.modify(&fd, token, interest, key.trigger)?;
        }
        let changed = SelectorKey { interest, trigger: key.trigger, data };
        Ok(std::mem::replace(key, changed))
