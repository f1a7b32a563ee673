        // expect: busy
        self.epoll.wait(events, Some(Duration::ZERO))?;
        for event in &*events {
            match event.token() {
                LISTENER => self.accept()?,
                token => self.echo(token)?,
            }
        }
        Ok(())
