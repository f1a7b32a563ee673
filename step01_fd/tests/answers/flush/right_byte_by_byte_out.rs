        while !self.is_empty() {
            let (first, _) = self.unsent.as_slices();
            let Written::Bytes(count) = write(fd.as_fd(), first)? else {
                return Ok(false);
            };
            for _ in 0..count {
                self.unsent.pop_front();
            }
        }
        Ok(true)
