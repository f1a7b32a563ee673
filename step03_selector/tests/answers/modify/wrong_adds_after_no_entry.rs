        let (token, key) = self.registry.find(&fd)?;
        if interest != key.interest
            && let Err(error) = self.epoll.modify(&fd, token, interest, key.trigger)
        {
            if error.kind() == io::ErrorKind::NotFound {
                self.epoll.add(&fd, token, interest, key.trigger)?;
            }
            return Err(error);
        }
        let changed = SelectorKey { interest, trigger: key.trigger, data };
        Ok(std::mem::replace(key, changed))
