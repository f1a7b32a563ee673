        self.wait(events)?;
        let mut result = Ok(());
        // An error of one owner must not cost the others their turn.
        for event in events.iter() {
            result = match Source::of(event.token()) {
                Source::Listener => self.accept(),
                Source::Client(fd) => self.echo(fd),
            };
        }
        result
