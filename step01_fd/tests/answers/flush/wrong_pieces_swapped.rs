        while !self.is_empty() {
            let (first, second) = self.unsent.as_slices();
            let (piece, start) = if second.is_empty() { (first, 0) } else { (second, first.len()) };
            match write(&fd, piece)? {
                Written::Bytes(count) => drop(self.unsent.drain(start..start + count)),
                Written::WouldBlock => return Ok(false),
            }
        }
        Ok(true)
