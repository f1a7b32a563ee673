    if self.is_empty() {
        return Ok(true);
    }
    let (oldest, _) = self.unsent.as_slices();
    match write(&fd, oldest)? {
        Written::Bytes(count) => drop(self.unsent.drain(..count)),
        Written::WouldBlock => {}
    }
    Ok(true)
