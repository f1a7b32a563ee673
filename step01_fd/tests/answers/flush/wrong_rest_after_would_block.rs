        let mut blocked = false;
        while !self.is_empty() {
            let (oldest, _) = self.unsent.as_slices();
            let some = if blocked { &oldest[..oldest.len().min(4096)] } else { oldest };
            match write(&fd, some)? {
                Written::Bytes(count) => drop(self.unsent.drain(..count)),
                Written::WouldBlock if !blocked => blocked = true,
                Written::WouldBlock => return Ok(false),
            }
        }
        Ok(true)
