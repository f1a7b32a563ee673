        match self.epoll.delete(&fd) {
            Ok(()) => {}
            // The kernel has dropped it already.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        self.registry.remove(&fd)
