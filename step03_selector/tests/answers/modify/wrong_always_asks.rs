        // expect: modify to the same interest:      [Bob READABLE]
        let (token, key) = self.registry.find(&fd)?;
        self.epoll.modify(&fd, token, interest, key.trigger)?;
        let changed = SelectorKey { interest, trigger: key.trigger, data };
        Ok(std::mem::replace(key, changed))
