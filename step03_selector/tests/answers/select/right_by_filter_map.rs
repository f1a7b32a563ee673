        self.epoll.wait(&mut self.events, timeout)?;
        let registry = &self.registry;
        let found = self.events.iter().filter_map(|event| {
            let key = registry.by_token(event.token())?;
            key.ready(event)
        });
        *ready = found.collect();
        Ok(())
