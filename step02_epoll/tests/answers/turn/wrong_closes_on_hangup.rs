        self.wait(events)?;
        for event in &*events {
            match Source::of(event.token()) {
                Source::Listener => self.accept()?,
                Source::Client(fd)
                    if event.is_hangup() || event.is_read_hangup() || event.is_error() =>
                {
                    self.close(fd)?;
                }
                Source::Client(fd) => self.echo(fd)?,
            }
        }
        Ok(())
