        // expect: PermissionDenied
        let key = self.registry.remove(&fd)?;
        match self.epoll.delete(&fd) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => Ok(key),
        }
