        ready.clear();
        self.epoll.wait(&mut self.events, timeout)?;
        if let Some(event) = self.events.iter().next()
            && let Some(key) = self.registry.by_token(event.token())
        {
            ready.extend(key.ready(event));
        }
        Ok(())
