        let key = self.registry.remove(&fd)?;
        match self.epoll.delete(&fd) {
            Err(error) if step02_epoll::errno(&error) == Some(9) => Err(error),
            _ => Ok(key),
        }
