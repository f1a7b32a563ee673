        while !self.is_empty() {
            let (oldest, _) = self.unsent.as_slices();
            let offered = oldest.len();
            match write(&fd, oldest)? {
                Written::Bytes(count) => {
                    self.unsent.drain(..count);
                    if count < offered {
                        return Ok(false);
                    }
                }
                Written::WouldBlock => return Ok(false),
            }
        }
        Ok(true)
