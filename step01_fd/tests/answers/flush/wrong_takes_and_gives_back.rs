        let mut unsent = std::mem::take(&mut self.unsent);
        while !unsent.is_empty() {
            let (oldest, _) = unsent.as_slices();
            match write(&fd, oldest) {
                Ok(Written::Bytes(count)) => drop(unsent.drain(..count)),
                Ok(Written::WouldBlock) => {
                    self.unsent = unsent;
                    return Ok(false);
                }
                Err(error) => {
                    self.unsent.extend(&unsent);
                    return Err(error);
                }
            }
        }
        self.unsent = unsent;
        Ok(true)
