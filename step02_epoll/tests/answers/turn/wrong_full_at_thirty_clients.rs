        self.wait(events)?;
        for event in &*events {
            if self.clients.len() > 30 && matches!(Source::of(event.token()), Source::Listener) {
                continue;
            }
            match Source::of(event.token()) {
                Source::Listener => self.accept()?,
                Source::Client(fd) => self.echo(fd)?,
            }
        }
        Ok(())
