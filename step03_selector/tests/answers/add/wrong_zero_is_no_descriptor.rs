        if std::os::fd::AsRawFd::as_raw_fd(&fd.as_fd()) <= 0 {
            return Err(io::Error::from_raw_os_error(9));
        }
        if key.interest.is_empty() {
            return Err(no_direction());
        }
        let token = self.registry.next_token(&fd)?;
        self.epoll.add(&fd, token, key.interest, key.trigger)?;
        self.registry.insert(&fd, key);
        Ok(())
