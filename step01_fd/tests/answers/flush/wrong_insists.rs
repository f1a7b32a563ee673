    // expect: busy
    while !self.is_empty() {
        let (oldest, _) = self.unsent.as_slices();
        if let Written::Bytes(count) = write(&fd, oldest)? {
            self.unsent.drain(..count);
        }
    }
    Ok(true)
