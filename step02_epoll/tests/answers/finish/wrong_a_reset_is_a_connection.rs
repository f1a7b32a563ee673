        match self.stream.take_error()? {
            // It was connected, after all.
            Some(error) if error.kind() == io::ErrorKind::ConnectionReset => {
                return Ok(Connected::Yes(self.stream));
            }
            Some(error) => return Err(error),
            None => {}
        }
        match self.stream.peer_addr() {
            Ok(_) => Ok(Connected::Yes(self.stream)),
            Err(error) if error.kind() == io::ErrorKind::NotConnected => {
                Ok(Connected::NotYet(self))
            }
            Err(error) => Err(error),
        }
