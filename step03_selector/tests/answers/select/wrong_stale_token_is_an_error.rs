        ready.clear();
        self.epoll.wait(&mut self.events, timeout)?;
        for event in &self.events {
            let key = self.registry.by_token(event.token()).ok_or_else(|| {
                let message = format!("select: no key for token {}", event.token());
                io::Error::new(io::ErrorKind::NotFound, message)
            })?;
            ready.extend(key.ready(event));
        }
        Ok(())
