        while !self.is_empty() {
            let (oldest, _) = self.unsent.as_slices();
            match write(&fd, oldest) {
                Ok(Written::Bytes(count)) => drop(self.unsent.drain(..count)),
                Ok(Written::WouldBlock) => return Ok(false),
                Err(error) => {
                    self.unsent = self.unsent.iter().copied().collect();
                    return Err(error);
                }
            }
        }
        Ok(true)
