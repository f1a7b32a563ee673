        self.wait(events)?;
        events.iter().map(|event| Source::of(event.token())).try_for_each(|source| match source {
            Source::Listener => self.accept(),
            Source::Client(fd) => self.echo(fd),
        })
