        ready.clear();
        self.epoll.wait(&mut self.events, timeout)?;
        let mut stale = 0;
        for event in &self.events {
            match self.registry.by_token(event.token()) {
                Some(key) => ready.extend(key.ready(event)),
                None => stale += 1,
            }
        }
        if stale > 0 && ready.is_empty() && timeout.is_some() {
            self.epoll.wait(&mut self.events, Some(Duration::ZERO))?;
        }
        Ok(())
