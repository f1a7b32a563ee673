        ready.clear();
        self.epoll.wait(&mut self.events, Some(Duration::ZERO))?;
        if self.events.iter().next().is_none() && timeout != Some(Duration::ZERO) {
            self.epoll.wait(&mut self.events, timeout)?;
        }
        for event in &self.events {
            if let Some(key) = self.registry.by_token(event.token()) {
                ready.extend(key.ready(event));
            }
        }
        Ok(())
