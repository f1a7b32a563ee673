        let bytes = self.unsent.make_contiguous();
        let mut sent = 0;
        while sent < bytes.len() {
            match write(&fd, &bytes[sent..])? {
                Written::Bytes(count) => sent += count,
                Written::WouldBlock => break,
            }
        }
        self.unsent.drain(..sent);
        Ok(self.is_empty())
