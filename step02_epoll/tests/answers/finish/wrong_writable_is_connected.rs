        Ok(Connected::Yes(self.stream))
