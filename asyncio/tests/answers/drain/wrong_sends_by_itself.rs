        if let Some(error) = self.error() {
            return Err(error);
        }
        if self.is_closing() {
            yield_now().await?;
        }
        if self.is_lost() {
            return Err(io::Error::new(io::ErrorKind::ConnectionReset, "Connection lost").into());
        }
        while self.flow.is_paused.get() {
            self.writable().await?;
            let sent = match &*self.stream.borrow() {
                Some(stream) => stream.try_send(&mut self.outbox.borrow_mut(), &[]),
                None => return Ok(()),
            };
            sent?;
            self.control_flow();
        }
        Ok(())
