        let (token, key) = self.registry.find(&fd)?;
        if interest != key.interest || (key.trigger == Trigger::Edge && interest.is_empty()) {
            self.epoll.modify(&fd, token, interest, key.trigger)?;
        }
        let changed = SelectorKey { interest, trigger: key.trigger, data };
        Ok(std::mem::replace(key, changed))
