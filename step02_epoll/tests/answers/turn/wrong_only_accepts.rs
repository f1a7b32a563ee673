        self.wait(events)?;
        for event in &*events {
            if event.token() == LISTENER {
                self.accept()?;
            }
        }
        Ok(())
