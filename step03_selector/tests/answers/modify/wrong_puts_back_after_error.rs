        let (token, key) = self.registry.find(&fd)?;
        if interest != key.interest
            && let Err(error) = self.epoll.modify(&fd, token, interest, key.trigger)
        {
            let _ = self.epoll.modify(&fd, token, key.interest, key.trigger);
            return Err(error);
        }
        let changed = SelectorKey { interest, trigger: key.trigger, data };
        Ok(std::mem::replace(key, changed))
