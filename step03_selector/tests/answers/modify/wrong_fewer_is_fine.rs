        let (token, key) = self.registry.find(&fd)?;
        if interest != key.interest {
            let done = self.epoll.modify(&fd, token, interest, key.trigger);
            if interest - key.interest != Interest::NONE || interest.is_empty() {
                done?;
            }
        }
        let changed = SelectorKey { interest, trigger: key.trigger, data };
        Ok(std::mem::replace(key, changed))
