        self.wait(events)?;
        if events.iter().any(|event| matches!(Source::of(event.token()), Source::Listener)) {
            self.accept()?;
        }
        let clients: Vec<RawFd> = self.clients.keys().copied().collect();
        for fd in clients {
            self.close(fd)?;
        }
        Ok(())
