        ready.clear();
        self.epoll.wait(&mut self.events, timeout)?;
        let registry = &self.registry;
        ready.extend(
            self.events.iter().filter_map(|event| registry.by_token(event.token())?.ready(event)),
        );
        Ok(())
