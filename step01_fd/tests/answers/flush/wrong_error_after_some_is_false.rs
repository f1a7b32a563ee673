        let before = self.len();
        while !self.is_empty() {
            let (oldest, _) = self.unsent.as_slices();
            match write(&fd, oldest) {
                Ok(Written::Bytes(count)) => drop(self.unsent.drain(..count)),
                Ok(Written::WouldBlock) => return Ok(false),
                // The next flush will report it.
                Err(error) if self.len() < before && error.kind() == io::ErrorKind::TimedOut => return Ok(false),
                Err(error) => return Err(error),
            }
        }
        Ok(true)
