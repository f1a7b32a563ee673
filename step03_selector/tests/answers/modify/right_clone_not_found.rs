        let (token, key) = self.registry.find(&fd)?;
        let previous = key.clone();
        if previous.interest != interest {
            let told = self.epoll.modify(&fd, token, interest, previous.trigger);
            // Epoll refuses a regular file, which can only have got the number of a closed descriptor.
            told.map_err(|error| match error.kind() {
                io::ErrorKind::PermissionDenied => io::Error::new(io::ErrorKind::NotFound, error),
                _ => error,
            })?;
        }
        (key.interest, key.data) = (interest, data);
        Ok(previous)
