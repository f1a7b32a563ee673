        let (token, key) = self.registry.find(&fd)?;
        let trigger = key.trigger;
        let before = std::mem::replace(key, SelectorKey { interest, trigger, data });
        if interest != before.interest {
            self.epoll.modify(&fd, token, interest, trigger)?;
        }
        Ok(before)
