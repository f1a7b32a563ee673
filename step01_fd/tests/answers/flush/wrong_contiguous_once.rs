        let fd = fd.as_fd();
        let mut rest: &[u8] = self.unsent.make_contiguous();
        let outcome = loop {
            if rest.is_empty() {
                break Ok(true);
            }
            match write(fd, rest) {
                Ok(Written::Bytes(count)) => rest = &rest[count..],
                Ok(Written::WouldBlock) => break Ok(false),
                Err(error) => break Err(error),
            }
        };
        let unsent = rest.len();
        self.unsent.drain(..self.unsent.len() - unsent);
        outcome
