        self.wait(events)?;
        match events.iter().next().map(|event| Source::of(event.token())) {
            Some(Source::Listener) => self.accept(),
            Some(Source::Client(fd)) => self.echo(fd),
            None => Ok(()),
        }
