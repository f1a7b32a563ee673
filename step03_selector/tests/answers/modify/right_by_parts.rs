        let (token, key) = self.registry.find(fd.as_fd())?;
        let before = key.clone();
        if before.interest != interest {
            self.epoll.modify(fd.as_fd(), token, interest, before.trigger)?;
            key.interest = interest;
        }
        key.data = data;
        Ok(before)
