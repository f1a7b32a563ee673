        let lost = || io::Error::new(io::ErrorKind::ConnectionReset, "Connection lost");
        if let Some(error) = self.error() {
            Err(error)
        } else {
            if self.is_closing() {
                yield_now().await?;
            }
            if self.is_lost() {
                Err(lost().into())
            } else if self.flow.is_paused.get() {
                Ok(self.waiting.for_room(&self.event_loop).await?)
            } else {
                Ok(())
            }
        }
