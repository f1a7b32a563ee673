        let fd = fd.as_fd();
        let (token, key) = self.registry.find(fd)?;
        let previous_interest = key.interest;
        if previous_interest != interest {
            self.epoll.modify(fd, token, interest, key.trigger)?;
            key.interest = interest;
        }
        let previous_data = std::mem::replace(&mut key.data, data);
        Ok(SelectorKey { interest: previous_interest, trigger: key.trigger, data: previous_data })
