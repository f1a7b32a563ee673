        self.wait(events)?;
        for event in &*events {
            if !event.is_readable() {
                continue;
            }
            match Source::of(event.token()) {
                Source::Listener => self.accept()?,
                Source::Client(fd) => self.echo(fd)?,
            }
        }
        Ok(())
