// hangs
        loop {
            if let Some(error) = self.stream.take_error()? {
                return Err(error);
            }
            if self.stream.peer_addr().is_ok() {
                return Ok(Connected::Yes(self.stream));
            }
        }
