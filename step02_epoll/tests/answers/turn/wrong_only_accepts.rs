        // hangs
        self.wait(events)?;
        for event in &*events {
            if let Source::Listener = Source::of(event.token()) {
                self.accept()?;
            }
        }
        Ok(())
