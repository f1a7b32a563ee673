        ready.clear();
        self.epoll.wait(&mut self.events, timeout)?;
        self.epoll.wait(&mut self.events, Some(Duration::ZERO))?;
        for event in &self.events {
            if let Some(key) = self.registry.by_token(event.token()) {
                ready.extend(key.ready(event));
            }
        }
        Ok(())
