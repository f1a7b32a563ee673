        ready.clear();
        if self.registry.keys().next().is_none() {
            return Ok(());
        }
        self.epoll.wait(&mut self.events, timeout)?;
        for event in &self.events {
            if let Some(key) = self.registry.by_token(event.token()) {
                ready.extend(key.ready(event));
            }
        }
        Ok(())
