// hangs
        ready.clear();
        loop {
            self.epoll.wait(&mut self.events, timeout)?;
            for event in &self.events {
                if let Some(key) = self.registry.by_token(event.token()) {
                    ready.extend(key.ready(event));
                }
            }
            if self.events.is_empty() || !ready.is_empty() {
                return Ok(());
            }
        }
