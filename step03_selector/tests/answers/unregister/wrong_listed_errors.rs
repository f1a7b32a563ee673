        let key = self.registry.remove(&fd)?;
        // Closed: its number belongs to another object, which can be a regular file, or to none.
        const EBADF: i32 = 9;
        match self.epoll.delete(&fd) {
            Err(error)
                if !matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::PermissionDenied
                ) && step02_epoll::errno(&error) != Some(EBADF) =>
            {
                Err(error)
            }
            _ => Ok(key),
        }
