        loop {
            let (oldest, _) = self.unsent.as_slices();
            match write(&fd, oldest)? {
                Written::Bytes(count) => drop(self.unsent.drain(..count)),
                Written::WouldBlock => return Ok(false),
            }
            if self.is_empty() {
                return Ok(true);
            }
        }
