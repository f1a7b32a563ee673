        let key = self.registry.remove(&fd)?;
        if let Err(error) = self.epoll.delete(&fd) && error.kind() == io::ErrorKind::OutOfMemory {
            let _ = self.epoll.delete(&fd);
        }
        Ok(key)
