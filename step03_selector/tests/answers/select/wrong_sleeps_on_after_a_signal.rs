// hangs
        // expect: asleep
        ready.clear();
        while ready.is_empty() {
            self.epoll.wait(&mut self.events, timeout)?;
            for event in &self.events {
                if let Some(key) = self.registry.by_token(event.token()) {
                    ready.extend(key.ready(event));
                }
            }
            if timeout.is_some() {
                break;
            }
        }
        Ok(())
