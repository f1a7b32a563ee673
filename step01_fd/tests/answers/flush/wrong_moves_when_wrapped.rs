        while !self.is_empty() {
            match write(&fd, self.unsent.make_contiguous())? {
                Written::Bytes(count) => drop(self.unsent.drain(..count)),
                Written::WouldBlock => return Ok(false),
            }
        }
        Ok(true)
