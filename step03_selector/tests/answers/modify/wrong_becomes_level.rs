        // expect: select again:                     [Cid
        let (token, key) = self.registry.find(&fd)?;
        if interest != key.interest {
            self.epoll.modify(&fd, token, interest, Trigger::Level)?;
        }
        let changed = SelectorKey { interest, trigger: Trigger::Level, data };
        Ok(std::mem::replace(key, changed))
