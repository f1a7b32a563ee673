        if !self.wants_to_write() {
            let received = match read(self.stream.as_fd(), scratch)? {
                Read::Bytes(count) => &scratch[..count],
                Read::WouldBlock => return Ok(Progress::Waiting),
                Read::End => return Ok(Progress::Finished),
            };
            let taken = match step01_fd::write(self.stream.as_fd(), received)? {
                step01_fd::Written::Bytes(count) => count,
                step01_fd::Written::WouldBlock => 0,
            };
            self.outbox.push(&received[taken..]);
        } else if !self.outbox.flush(self.stream.as_fd())? {
            return Ok(Progress::Waiting);
        }
        Ok(self.after_writing())
