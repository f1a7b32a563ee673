        let mut wrote = false;
        while !self.is_empty() {
            let (oldest, _) = self.unsent.as_slices();
            match write(&fd, oldest)? {
                Written::Bytes(count) => drop(self.unsent.drain(..count)),
                Written::WouldBlock => return Ok(wrote),
            }
            wrote = true;
        }
        Ok(true)
