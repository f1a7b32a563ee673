        ready.clear();
        self.epoll.wait(&mut self.events, timeout)?;
        let events = self.events.iter();
        ready.extend(events.map_while(|event| {
            let key = self.registry.by_token(event.token())?;
            key.ready(event)
        }));
        Ok(())
