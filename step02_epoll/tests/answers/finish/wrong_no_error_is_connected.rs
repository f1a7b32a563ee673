        match self.stream.take_error()? {
            Some(error) => Err(error),
            None => Ok(Connected::Yes(self.stream)),
        }
