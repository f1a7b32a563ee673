        let (oldest, _) = self.unsent.as_slices();
        let mut rest = oldest.len();
        while rest > 0 {
            let (oldest, _) = self.unsent.as_slices();
            match write(&fd, &oldest[..rest])? {
                Written::Bytes(count) => {
                    self.unsent.drain(..count);
                    rest -= count;
                }
                Written::WouldBlock => return Ok(false),
            }
        }
        Ok(self.is_empty())
