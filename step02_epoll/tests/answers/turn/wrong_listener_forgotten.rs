        // expect: busy
        self.wait(events)?;
        for event in &*events {
            self.echo(event.token())?;
        }
        Ok(())
