        self.wait(events)?;
        for event in &*events {
            match Source::of(event.token()) {
                Source::Listener => self.accept()?,
                Source::Client(fd) => {
                    if let Err(error) = self.echo(fd)
                        && error.kind() != io::ErrorKind::NotFound
                    {
                        return Err(error);
                    }
                },
            }
        }
        Ok(())
