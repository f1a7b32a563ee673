        // hangs
        // expect: busy
        self.wait(events)?;
        for event in &*events {
            if let Source::Client(fd) = Source::of(event.token()) {
                self.echo(fd)?;
            }
        }
        Ok(())
