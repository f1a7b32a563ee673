        self.wait(events)?;
        let mut has_new_clients = false;
        for source in events.iter().map(|event| Source::of(event.token())) {
            if let Source::Client(fd) = source {
                self.echo(fd)?;
            } else {
                has_new_clients = true;
            }
        }
        if has_new_clients { self.accept() } else { Ok(()) }
