        ready.clear();
        if let Err(error) = self.epoll.wait(&mut self.events, timeout) {
            if error.kind() != io::ErrorKind::ResourceBusy {
                return Err(error);
            }
            self.epoll.wait(&mut self.events, timeout)?;
        }
        for event in &self.events {
            if let Some(key) = self.registry.by_token(event.token()) {
                ready.extend(key.ready(event));
            }
        }
        Ok(())
