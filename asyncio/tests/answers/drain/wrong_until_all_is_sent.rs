        if let Some(error) = self.error() {
            return Err(error);
        }
        if self.is_closing() {
            yield_now().await?;
        }
        if self.is_lost() {
            return Err(io::Error::new(io::ErrorKind::ConnectionReset, "Connection lost").into());
        }
        if !self.outbox.borrow().is_empty() {
            self.waiting.for_room(&self.event_loop).await?;
        }
        Ok(())
