        // expect: Interrupted
        ready.clear();
        self.epoll.wait(&mut self.events, timeout)?;
        if self.events.is_empty() && timeout.is_none() {
            return Err(io::ErrorKind::Interrupted.into());
        }
        for event in &self.events {
            if let Some(key) = self.registry.by_token(event.token()) {
                ready.extend(key.ready(event));
            }
        }
        Ok(())
