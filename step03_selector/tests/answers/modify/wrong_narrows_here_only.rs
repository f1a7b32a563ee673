        let (token, key) = self.registry.find(&fd)?;
        // What the kernel reports too much, `SelectorKey::ready` leaves out.
        if !key.interest.contains(interest) {
            self.epoll.modify(&fd, token, interest, key.trigger)?;
        }
        let changed = SelectorKey { interest, trigger: key.trigger, data };
        Ok(std::mem::replace(key, changed))
