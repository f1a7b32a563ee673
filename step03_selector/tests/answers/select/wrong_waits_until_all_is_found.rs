        /// How many events one wait has room for.
        const ROOM: usize = 1024;
        let mut timeout = timeout;
        ready.clear();
        loop {
            self.epoll.wait(&mut self.events, timeout)?;
            for event in &self.events {
                if let Some(key) = self.registry.by_token(event.token()) {
                    ready.extend(key.ready(event));
                }
            }
            if self.events.len() < ROOM {
                return Ok(());
            }
            // The room was full: fetch the others, too, without sleeping.
            timeout = Some(Duration::ZERO);
        }
