        ready.clear();
        self.epoll.wait(&mut self.events, timeout)?;
        for event in &self.events {
            if let Some(key) = self.registry.by_token(event.token()) {
                let found = key.ready(event);
                ready.extend(found.map(|it| ReadyEvent { interest: key.interest, ..it }));
            }
        }
        Ok(())
