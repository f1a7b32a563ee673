        self.wait(events)?;
        for event in &*events {
            match Source::of(event.token()) {
                Source::Listener => self.accept()?,
                Source::Client(fd) => {
                    let _ = self.echo(fd);
                }
            }
        }
        Ok(())
