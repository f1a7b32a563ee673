        self.wait(events)?;
        let sources: Vec<Source> = events.iter().map(|event| Source::of(event.token())).collect();
        for source in &sources {
            if let Source::Client(fd) = source {
                self.echo(*fd)?;
            }
        }
        let listener = sources.iter().find(|source| matches!(source, Source::Listener));
        if listener.is_some() { self.accept() } else { Ok(()) }
