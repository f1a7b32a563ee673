    let mut piece = Vec::new();
    loop {
        piece.clear();
        piece.extend(self.unsent.iter().take(100));
        if piece.is_empty() {
            return Ok(true);
        }
        match write(&fd, &piece)? {
            Written::Bytes(count) => self.unsent = self.unsent.split_off(count),
            Written::WouldBlock => return Ok(false),
        }
    }
