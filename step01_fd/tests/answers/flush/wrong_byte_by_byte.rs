        while let Some(&byte) = self.unsent.front() {
            match write(&fd, &[byte])? {
                Written::Bytes(_) => drop(self.unsent.pop_front()),
                Written::WouldBlock => return Ok(false),
            }
        }
        Ok(true)
