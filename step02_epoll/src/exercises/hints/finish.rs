        if let Some(error) = self.stream.take_error()? {
            return Err(error);
        }
        match self.stream.peer_addr() {
            Ok(_) => Ok(Connected::Yes(self.stream)),
            Err(error) if error.kind() == io::ErrorKind::NotConnected => {
                Ok(Connected::NotYet(self))
            }
            Err(error) => Err(error),
        }
