        while !self.is_empty() {
            // A ring buffer is up to two pieces of memory. If only one has bytes, it's the first.
            let (oldest, _) = self.unsent.as_slices();
            match write(&fd, oldest)? {
                Written::Bytes(count) => drop(self.unsent.drain(..count)),
                Written::WouldBlock => return Ok(false),
            }
        }
        Ok(true)
