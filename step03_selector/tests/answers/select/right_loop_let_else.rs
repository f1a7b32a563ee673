        let woken = self.epoll.wait(&mut self.events, timeout);
        ready.clear();
        woken?;
        ready.reserve(self.events.len());
        for event in &self.events {
            // An event of a registration that has ended finds no key.
            let Some(key) = self.registry.by_token(event.token()) else {
                continue;
            };
            if let Some(translated) = key.ready(event) {
                ready.push(translated);
            }
        }
        Ok(())
