        if self.is_empty() {
            return Ok(true);
        }
        let (front, _) = self.unsent.as_slices();
        if let Written::Bytes(count) = write(fd, front)? {
            self.unsent.drain(..count);
        }
        Ok(self.is_empty())
