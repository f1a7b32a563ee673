    while !self.is_empty() {
        let (oldest, _) = self.unsent.as_slices();
        match write(&fd, oldest)? {
            Written::Bytes(count) if count == oldest.len() => self.unsent.clear(),
            Written::Bytes(_) => {}
            Written::WouldBlock => return Ok(false),
        }
    }
    Ok(true)
