        ready.clear();
        if self.epoll.wait(&mut self.events, timeout).is_err() {
            return Ok(());
        }
        for event in &self.events {
            if let Some(key) = self.registry.by_token(event.token()) {
                ready.extend(key.ready(event));
            }
        }
        Ok(())
