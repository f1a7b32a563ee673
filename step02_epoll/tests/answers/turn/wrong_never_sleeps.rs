        // hangs
        // expect: busy
        self.epoll.wait(events, Some(Duration::ZERO))?;
        for event in &*events {
            match Source::of(event.token()) {
                Source::Listener => self.accept()?,
                Source::Client(fd) => self.echo(fd)?,
            }
        }
        Ok(())
