        self.wait(events)?;
        for event in &*events {
            match Source::of(event.token()) {
                Source::Listener => {
                    if let Err(error) = self.accept()
                        && error.kind() != io::ErrorKind::TimedOut
                    {
                        return Err(error);
                    }
                },
                Source::Client(fd) => self.echo(fd)?,
            }
        }
        Ok(())
