        let mut again = false;
        while !self.is_empty() {
            let (oldest, _) = self.unsent.as_slices();
            match write(&fd, oldest) {
                Ok(Written::Bytes(count)) => drop(self.unsent.drain(..count)),
                Ok(Written::WouldBlock) => return Ok(false),
                Err(error) if crate::errno(&error) == Some(libc::ENOBUFS) && !again => again = true,
                Err(error) => return Err(error),
            }
        }
        Ok(true)
