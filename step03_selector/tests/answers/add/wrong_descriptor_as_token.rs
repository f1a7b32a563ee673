        use std::os::fd::AsRawFd;
        if key.interest.is_empty() {
            return Err(no_direction());
        }
        self.registry.next_token(&fd)?;
        let token = u64::from(fd.as_fd().as_raw_fd().unsigned_abs());
        self.epoll.add(&fd, token, key.interest, key.trigger)?;
        self.registry.insert(&fd, key);
        Ok(())
