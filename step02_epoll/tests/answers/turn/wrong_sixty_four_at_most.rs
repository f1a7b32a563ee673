        self.wait(events)?;
        for event in events.iter().take(64) {
            match Source::of(event.token()) {
                Source::Listener => self.accept()?,
                Source::Client(fd) => self.echo(fd)?,
            }
        }
        Ok(())
