        self.wait(events)?;
        for event in &*events {
            match Source::of(event.token()) {
                Source::Listener => self.accept()?,
                Source::Client(fd) => {
                    if self.echo(fd).is_err() {
                        self.echo(fd)?;
                    }
                }
            }
        }
        Ok(())
