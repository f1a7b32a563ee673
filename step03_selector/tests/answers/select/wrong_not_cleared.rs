        // expect: far reads its bytes:    [far READABLE]
        self.epoll.wait(&mut self.events, timeout)?;
        for event in &self.events {
            if let Some(key) = self.registry.by_token(event.token()) {
                ready.extend(key.ready(event));
            }
        }
        Ok(())
