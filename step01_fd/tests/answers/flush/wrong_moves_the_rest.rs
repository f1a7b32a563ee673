        while !self.is_empty() {
            let (oldest, _) = self.unsent.as_slices();
            match write(&fd, oldest)? {
                Written::Bytes(count) => self.unsent = self.unsent.split_off(count),
                Written::WouldBlock => return Ok(false),
            }
        }
        Ok(true)
