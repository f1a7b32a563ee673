    // expect: the reader has all, in order:    false
    let (oldest, _) = self.unsent.as_slices();
    match write(&fd, oldest)? {
        Written::Bytes(_) => self.unsent.clear(),
        Written::WouldBlock => return Ok(false),
    }
    Ok(true)
