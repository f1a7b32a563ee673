        if let Some(error) = self.stream.take_error()? {
            return Err(error);
        }
        self.stream.peer_addr()?;
        Ok(Connected::Yes(self.stream))
