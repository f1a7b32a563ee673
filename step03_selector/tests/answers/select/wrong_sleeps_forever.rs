// hangs
        ready.clear();
        let _ = timeout;
        self.epoll.wait(&mut self.events, None)?;
        for event in &self.events {
            if let Some(key) = self.registry.by_token(event.token()) {
                ready.extend(key.ready(event));
            }
        }
        Ok(())
