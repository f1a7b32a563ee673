        self.wait(events)?;
        for event in &*events {
            match Source::of(event.token()) {
                Source::Listener => self.accept()?,
                Source::Client(fd) => self.echo(fd)?,
            }
        }
        Ok(())
