        let key = self.registry.find(&fd)?.1.clone();
        let done = self.epoll.delete(&fd);
        if done.is_err_and(|error| error.kind() == io::ErrorKind::OutOfMemory) {
            return Ok(key);
        }
        self.registry.remove(&fd)
