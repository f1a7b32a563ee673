        ready.clear();
        let timeout = timeout.map(|timeout| Duration::from_secs(timeout.as_secs()));
        self.epoll.wait(&mut self.events, timeout)?;
        for event in &self.events {
            if let Some(key) = self.registry.by_token(event.token()) {
                ready.extend(key.ready(event));
            }
        }
        Ok(())
