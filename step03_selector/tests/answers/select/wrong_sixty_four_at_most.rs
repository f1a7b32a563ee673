        ready.clear();
        self.epoll.wait(&mut self.events, timeout)?;
        for event in self.events.iter().take(64) {
            if let Some(key) = self.registry.by_token(event.token()) {
                ready.extend(key.ready(event));
            }
        }
        Ok(())
