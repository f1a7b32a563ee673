        match self.error() {
            Some(error) => return Err(error),
            None if self.is_closing() => yield_now().await?,
            None => {}
        }
        let is_lost = self.stream.borrow().is_none();
        if is_lost {
            return Err(Error::from(io::Error::new(
                io::ErrorKind::ConnectionReset,
                "Connection lost",
            )));
        }
        if !self.flow.is_paused.get() {
            return Ok(());
        }
        let room = self.waiting.for_room(&self.event_loop);
        room.await
