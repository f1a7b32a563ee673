        self.epoll.wait(&mut self.events, timeout)?;
        if self.events.is_empty() {
            return Ok(());
        }
        ready.clear();
        for event in &self.events {
            if let Some(key) = self.registry.by_token(event.token()) {
                ready.extend(key.ready(event));
            }
        }
        Ok(())
