        ready.clear();
        self.epoll.wait(&mut self.events, timeout)?;
        for event in &self.events {
            let key = self.registry.by_token(event.token());
            let key = key.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
            ready.extend(key.ready(event));
        }
        Ok(())
