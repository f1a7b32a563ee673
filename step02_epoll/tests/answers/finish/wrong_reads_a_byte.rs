        if let Some(error) = self.stream.take_error()? {
            return Err(error);
        }
        match std::io::Read::read(&mut &self.stream, &mut [0]) {
            Err(error) if error.kind() == io::ErrorKind::NotConnected => {
                Ok(Connected::NotYet(self))
            }
            _ => Ok(Connected::Yes(self.stream)),
        }
