        let _ = self.wait(events);
        for event in &*events {
            let _ = match Source::of(event.token()) {
                Source::Listener => self.accept(),
                Source::Client(fd) => self.echo(fd),
            };
        }
        Ok(())
