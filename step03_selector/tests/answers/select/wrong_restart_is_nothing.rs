        ready.clear();
        if let Err(error) = self.epoll.wait(&mut self.events, timeout) {
            return if step02_epoll::errno(&error) == Some(85) { Ok(()) } else { Err(error) };
        }
        for event in &self.events {
            if let Some(key) = self.registry.by_token(event.token()) {
                ready.extend(key.ready(event));
            }
        }
        Ok(())
