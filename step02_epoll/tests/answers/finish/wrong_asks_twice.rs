        // The first question has cleared what the second one asks for.
        if self.stream.take_error()?.is_some() {
            return match self.stream.take_error()? {
                Some(error) => Err(error),
                None => Ok(Connected::NotYet(self)),
            };
        }
        match self.stream.peer_addr() {
            Ok(_) => Ok(Connected::Yes(self.stream)),
            Err(error) if error.kind() == io::ErrorKind::NotConnected => {
                Ok(Connected::NotYet(self))
            }
            Err(error) => Err(error),
        }
