        self.error().map_or(Ok(()), Err)?;
        if self.is_closing() {
            yield_now().await?;
        }
        match (self.is_lost(), self.flow.is_paused.get()) {
            (true, _) => {
                let lost = io::Error::new(io::ErrorKind::ConnectionReset, "Connection lost");
                Err(lost.into())
            }
            (false, true) => self.waiting.for_room(&self.event_loop).await,
            (false, false) => Ok(()),
        }
