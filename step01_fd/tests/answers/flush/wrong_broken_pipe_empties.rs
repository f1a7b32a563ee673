        while !self.is_empty() {
            let (oldest, _) = self.unsent.as_slices();
            match write(&fd, oldest) {
                Ok(Written::Bytes(count)) => drop(self.unsent.drain(..count)),
                Ok(Written::WouldBlock) => return Ok(false),
                Err(error) => {
                    self.unsent.clear();
                    return Err(error);
                }
            }
        }
        Ok(true)
