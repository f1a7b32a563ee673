        let bytes: Vec<u8> = self.unsent.drain(..).collect();
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            match write(&fd, rest)? {
                Written::Bytes(count) => rest = &rest[count..],
                Written::WouldBlock => break,
            }
        }
        self.unsent.extend(rest);
        Ok(self.is_empty())
